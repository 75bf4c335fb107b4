"""When a review is due, and what waits for it (page "Agent memory": ``every``; SPEC §7)."""

from dataclasses import dataclass, replace

from memoir.domain.config import ExtractionConfig, MessageCount

MAX_PENDING = 5_000
"""Turns that wait for a review; then it is due, whatever ``every`` says."""
GIVEN_UP = 3
"""Failures on one window after which it is given up."""


@dataclass(frozen=True, slots=True)
class Pending:
    """What of a session waits for a review.

    Attributes:
        turns: Numbers of committed turns, oldest first.
        after: Sequence in the first of them up to which it was reviewed.
        messages: User messages and replies in them.
        failures: Failed reviews of this window in a row.
    """

    turns: tuple[int, ...] = ()
    after: int = 0
    messages: int = 0
    failures: int = 0

    def due(self, extraction: ExtractionConfig | None, messages: int) -> bool:
        """Whether the turn that brings ``messages`` more is reviewed at its commit."""
        every = extraction.every if extraction else "turn"
        if not isinstance(every, MessageCount):
            return True
        return self.messages + messages >= every.messages or len(self.turns) >= MAX_PENDING

    def waiting(self, turn: int, messages: int) -> "Pending":
        """After a turn that was not reviewed."""
        return replace(self, turns=(*self.turns, turn), messages=self.messages + messages)

    @property
    def last_try(self) -> bool:
        """Whether one more failure gives the window up."""
        return self.failures + 1 >= GIVEN_UP

    def failed(self, turn: int, messages: int) -> "Pending":
        """After a failed review: the same messages again, or given up after the third time."""
        if self.last_try:
            return Pending()
        return replace(self.waiting(turn, messages), failures=self.failures + 1)
