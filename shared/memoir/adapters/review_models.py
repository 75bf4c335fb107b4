"""Review models by name, and the prompt files; each adapter is imported when it is asked for."""

from pathlib import Path

from memoir.ports import Prompts, ReviewModel

NAMES = "builtin, bedrock:MODEL or openai:MODEL@URL"
PROMPTS = Path(__file__).parents[1] / "prompts"


def make_review_model(name: str, key: str = "") -> ReviewModel:
    """Make a review model.

    Args:
        name: ``builtin``, ``bedrock:anthropic.claude-…`` or ``openai:MODEL@https://host/v1``.
        key: Bearer token of an ``openai:`` endpoint.

    Raises:
        ValueError: The name is unknown; it names the setting and the choices.
    """
    kind, _, rest = name.partition(":")
    if name == "builtin":
        from memoir.adapters.builtin_review import BuiltinReview

        return BuiltinReview()
    if kind == "bedrock" and rest:
        from memoir.adapters.bedrock_review import BedrockReview

        return BedrockReview(rest)
    model, _, url = rest.rpartition("@")
    if kind == "openai" and model and url.startswith(("http://", "https://")):
        from memoir.adapters.openai_review import OpenAIReview

        return OpenAIReview(model, url, key)
    raise ValueError(f"MEMOIR_REVIEW_MODEL is {name!r}: use one of {NAMES}, or leave it empty for no review")


def load_prompts(folder: str = "") -> Prompts:
    """Read the prompt files: those of ``folder``, and ours for what is not there."""
    own = Path(folder) if folder else PROMPTS

    def read(name: str) -> str:
        path = own / name
        return (path if path.exists() else PROMPTS / name).read_text(encoding="utf-8").strip()

    return Prompts(read("keep.md"), read("extract.md"), read("decide.md"), read("rules.md"))
