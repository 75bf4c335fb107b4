"""Where executions, attempts, sessions and transcripts are kept (SPEC §4).

Reads are strongly consistent. A write whose conditions fail raises ``Raced`` and has written nothing: the service
reads again and decides again, so that no rule lives in an adapter.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pydantic import JsonValue

from memoir.domain.changes import ChangeSet
from memoir.domain.pending import Pending
from memoir.domain.pins import Pins
from memoir.domain.turn import (
    Append,
    Attempt,
    AttemptId,
    AttemptStatus,
    Call,
    Drop,
    Event,
    Execution,
    Listed,
    LogEntry,
    Reviewed,
    ReviewState,
    Session,
)


class Raced(Exception):
    """A write's condition failed because somebody else wrote first; nothing was written."""


@dataclass(frozen=True, slots=True)
class LoadedTurn:
    """An attempt with its execution and its log; the log in the order of sequences."""

    execution: Execution
    attempt: Attempt
    log: tuple[LogEntry, ...]

    @property
    def calls(self) -> tuple[Call, ...]:
        """Recalls and tool calls, oldest first."""
        return tuple(entry for entry in self.log if isinstance(entry, Call))


@dataclass(frozen=True, slots=True)
class Beginning:
    """What ``beginTurn`` writes in one transaction.

    Attributes:
        execution: New, or as it is with this invocation's number.
        attempt: The new attempt.
        session: As it will be; ``None`` without sessions.
        session_before: As read; ``None`` when the session is new (or there are no sessions).
        abandon: Open attempts that this one takes the place of.
        events: The attempt's first events.
    """

    execution: Execution
    attempt: Attempt
    session: Session | None
    session_before: Session | None
    abandon: tuple[AttemptId, ...]
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class PinChange:
    """Pin lists as a commit read them, and as it leaves them; it holds only while both are as read."""

    before: Pins
    after: Pins


@dataclass(frozen=True, slots=True)
class Commit:
    """What ``commitTurn`` writes in one transaction.

    Attributes:
        attempt: As read; OPEN.
        session: As read; it names this attempt as open. ``None`` without sessions.
        listed: The conversation's recalls that are still in context; ``None``: unchanged.
        pins: ``None``: no pin changes.
        outbox_id: UUIDv7; its item is written only when a record changes.
        now: Commit time.
        outcome: What the commit did, as ids and versions.
        pending: What waits for a review afterwards; ``None``: unchanged.
        events: Memoir's own last events, from ``attempt.next_sequence`` on.
    """

    execution: Execution
    attempt: Attempt
    session: Session | None
    changes: ChangeSet
    listed: tuple[Listed, ...] | None
    outbox_id: str
    now: str
    outcome: dict[str, JsonValue]
    pins: PinChange | None = None
    pending: Pending | None = None
    events: tuple[Event, ...] = ()


class TurnStore(Protocol):
    """Executions, attempts, sessions and transcripts (SPEC §4)."""

    def load(self, attempt: AttemptId) -> LoadedTurn | None:
        """The attempt with its execution and its whole log, in one round trip."""
        ...

    def find(self, attempt: AttemptId) -> tuple[Execution | None, Attempt | None]:
        """The execution and the attempt, each if it is there, in one round trip."""
        ...

    def session(self, action_id: str, session_id: str) -> Session | None:
        """A session, or ``None`` before its first turn."""
        ...

    def listed(self, action_id: str, session_id: str, *, preview: bool = False) -> tuple[Listed, ...]:
        """Recalls of the session's committed turns of one mode that are still in context, oldest first."""
        ...

    def begin(self, beginning: Beginning) -> None:
        """Store a new attempt.

        Raises:
            Raced: Execution, attempt, session or an abandoned attempt is not as read.
        """
        ...

    def record(self, attempt: Attempt, call: Call, events: Sequence[Event], now: str) -> None:
        """Log a call with its events, which get the sequences from ``attempt.next_sequence`` on; touch ``last_call``.

        Raises:
            Raced: The attempt is not OPEN, has moved on, or the call is logged already.
        """
        ...

    def find_append(self, attempt: AttemptId, append_id: str) -> Append | None:
        """A reserved append."""
        ...

    def append(
        self, attempt: Attempt, append: Append, events: Sequence[Event], drops: Sequence[Drop], now: str
    ) -> None:
        """Reserve sequences and store events; what is too large for one transaction is stored after it.

        When it dies in between, the append is found with ``stored`` false and ``finish_append`` completes it.

        Raises:
            Raced: The attempt is not OPEN, has moved on, or the append is there already.
        """
        ...

    def finish_append(self, attempt: AttemptId, append: Append, events: Sequence[Event], drops: Sequence[Drop]) -> None:
        """Store the events of a reserved append again and mark it stored; safe to repeat."""
        ...

    def unfinished_appends(self, attempt: AttemptId) -> list[str]:
        """Ids of the appends that are reserved but not stored."""
        ...

    def opening(self, attempt: AttemptId) -> Event | None:
        """The first event, which is the turn's message; a very long one comes with the tail of its text only."""
        ...

    def newest_events(self, attempt: AttemptId, limit: int) -> list[Event]:
        """The newest events, newest first: at most ``limit`` and at most one page of the store.

        A very long event comes with the tail of its text only.
        """
        ...

    def said(self, attempt: AttemptId) -> list[Event]:
        """Messages, replies, and results and errors of tools, in order; of a very long one the tail of its text."""
        ...

    def committed(self, action_id: str, session_id: str, turns: Sequence[int]) -> dict[int, AttemptId]:
        """The committed attempts of a session's turns, by number."""
        ...

    def review(self, attempt: AttemptId) -> ReviewState | None:
        """The attempt's review, if one was begun."""
        ...

    def begin_review(self, attempt: AttemptId, deadline: str) -> None:
        """Store the intent to review, before the model is called.

        Raises:
            Raced: There is one already.
        """
        ...

    def end_review(self, attempt: AttemptId, outcome: Reviewed) -> None:
        """Store what the review came to.

        Raises:
            Raced: It has an outcome already.
        """
        ...

    def replies(self, attempt: AttemptId) -> dict[str | None, int]:
        """Sequence of the last reply of each conversation: ``None`` for the main thread, else the helper's id."""
        ...

    def close(
        self,
        loaded: LoadedTurn,
        status: AttemptStatus,
        now: str,
        *,
        reason: str | None = None,
        outcome: dict[str, JsonValue] | None = None,
    ) -> None:
        """End an OPEN attempt without a commit and free its session.

        Raises:
            Raced: The attempt is not OPEN any more, or the session moved.
        """
        ...

    def commit(self, commit: Commit) -> None:
        """Write everything of the turn in one transaction.

        Raises:
            Raced: Attempt, session, a record, a lock or a pin list is not as read, or the store was busy.
        """
        ...
