"""The model that reviews a turn (page "Agent memory"; SPEC §7)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from pydantic import JsonValue

from memoir.domain.config import MemoryConfig
from memoir.domain.plan import Proposed
from memoir.domain.record import Record
from memoir.domain.window import Line


@dataclass(frozen=True, slots=True)
class Ask:
    """One call of a review model.

    Attributes:
        system: Instructions, for a language model.
        user: The data, for a language model.
        schema: JSON Schema of the answer.
        lines: The conversation.
        candidates: Of a decision: what the first call proposed, numbered from 1.
        similar: Of a decision: handles of the memories most similar to each candidate.
        shown: Memories by handle.
    """

    step: Literal["extract", "decide"]
    system: str
    user: str
    schema: Mapping[str, JsonValue]
    memory: MemoryConfig
    lines: Sequence[Line] = ()
    candidates: Sequence[Proposed] = ()
    similar: Sequence[Sequence[str]] = ()
    shown: Mapping[str, Record] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answered:
    """What a model answered: text that holds JSON, and what it cost."""

    text: str
    input_tokens: int = 0
    output_tokens: int = 0


class ReviewModel(Protocol):
    """Answers a review's questions."""

    @property
    def name(self) -> str:
        """The model's id, for usage."""
        ...

    def answer(self, ask: Ask, seconds: float) -> Answered:
        """Answer within a time.

        Raises:
            ReviewFault: It does not answer, or answers with an error.
        """
        ...


@dataclass(frozen=True, slots=True)
class Prompts:
    """The prompt files: what to keep, the contract of each call, and the rules."""

    keep: str
    extract: str
    decide: str
    rules: str


@dataclass(frozen=True, slots=True)
class Reviewer:
    """A review model with its prompts, and the seconds that a review may take in all."""

    model: ReviewModel
    prompts: Prompts
    seconds: float
