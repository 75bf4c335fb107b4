"""Executions, attempts, sessions and the attempt's log (page "Agent memory"; SPEC §1, §4).

An attempt is one invocation of an execution: OPEN until it is committed, rolled back or abandoned.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Literal

from pydantic import JsonValue

from memoir.domain.events import EventType
from memoir.domain.pending import Pending
from memoir.domain.staging import StagedChange

LEASE_SECONDS = 15 * 60
"""Without a call for this long, another turn of the session may take over."""


class AttemptStatus(StrEnum):
    """The state of an attempt."""

    OPEN = "OPEN"
    COMMITTED = "COMMITTED"
    ROLLED_BACK = "ROLLED_BACK"
    ABANDONED = "ABANDONED"


class CallStatus(StrEnum):
    """How a tool call ended."""

    COMPLETED = "COMPLETED"
    FAILED = "FAILED"


@dataclass(frozen=True, slots=True)
class AttemptId:
    """An execution with the number of its invocation."""

    execution_id: str
    number: int


@dataclass(frozen=True, slots=True)
class Execution:
    """One turn of an agent; its attempts are its invocations.

    Attributes:
        turn: Number in its session; ``None`` without sessions.
        invocation: The newest attempt's number.
        fingerprint: Hash of what began it; another content under the same id is refused.
        preview: Whether it runs in preview mode.
    """

    execution_id: str
    action_id: str
    action_version: int
    session_id: str | None
    turn: int | None
    principal: str
    started_by: str | None
    created: str
    invocation: int
    fingerprint: str
    time: str | None
    preview: bool = False


@dataclass(frozen=True, slots=True)
class Attempt:
    """One invocation.

    Attributes:
        next_sequence: Sequence that the next event gets; the first event has 1.
        last_call: RFC 3339 UTC time of the last call inside it.
        as_of: Commits of the session when it began.
        previous: The session's last committed attempts when it began, newest first.
        fingerprint: Hash of the request that began it.
        pinned: Ids and versions of the records that its instructions list.
        pending: Appends whose sequences are reserved but whose events are not all stored.
        outcome: What the commit did, as ids and versions; or the error of a conflict.
    """

    id: AttemptId
    status: AttemptStatus
    next_sequence: int
    last_call: str
    created: str
    as_of: int
    previous: tuple[AttemptId, ...]
    fingerprint: str
    pinned: tuple[tuple[str, int], ...] = ()
    pending: int = 0
    outcome: Mapping[str, JsonValue] | None = None
    reason: str | None = None


REMEMBERED = 2
"""Committed attempts that a session remembers, for the query of a recall."""


@dataclass(frozen=True, slots=True)
class Place:
    """What a session keeps for the turns of one mode.

    Attributes:
        open: The attempt that holds the session.
        previous: The last committed attempts that turns of this mode see, newest first.
        pending: What of its turns waits for a review.
    """

    open: AttemptId | None = None
    previous: tuple[AttemptId, ...] = ()
    pending: Pending = field(default_factory=Pending)

    def remember(self, attempt: AttemptId) -> "Place":
        """The place after a commit that its turns see."""
        return replace(self, previous=(attempt, *self.previous)[:REMEMBERED])


@dataclass(frozen=True, slots=True)
class Session:
    """What orders the turns of one session: one sequence of turns, and a place for each mode.

    Attributes:
        next_turn: Number of the next turn.
        commits: Turns committed so far.
        last_commit: RFC 3339 UTC time of the last commit; commit times never go back in a session.
    """

    action_id: str
    session_id: str
    next_turn: int
    commits: int
    created: str
    last_commit: str
    live: Place = Place()
    preview: Place = Place()

    def place(self, *, preview: bool) -> Place:
        """The place of one mode."""
        return self.preview if preview else self.live

    def held(self, attempt: AttemptId | None, *, preview: bool) -> "Session":
        """The session with another holder of one mode's place."""
        if preview:
            return replace(self, preview=replace(self.preview, open=attempt))
        return replace(self, live=replace(self.live, open=attempt))

    def committed(self, attempt: AttemptId, now: str, *, preview: bool, pending: Pending | None = None) -> "Session":
        """The session after its holder committed: a live turn never sees what a preview turn said."""
        freed = self.held(None, preview=preview)
        if pending is not None and preview:
            freed = replace(freed, preview=replace(freed.preview, pending=pending))
        elif pending is not None:
            freed = replace(freed, live=replace(freed.live, pending=pending))
        live = freed.live if preview else freed.live.remember(attempt)
        return replace(
            freed, commits=self.commits + 1, last_commit=now, live=live, preview=freed.preview.remember(attempt)
        )


Dropped = Literal["all"] | tuple[str, ...]
"""Recalls that left the context: all, or those of these execution ids."""


@dataclass(frozen=True, slots=True)
class Listed:
    """Record versions that one recorded recall put before a conversation."""

    execution_id: str
    versions: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of a model call, or of several alike (page "Agent memory": purpose ``embed`` is counted by no limit).

    Attributes:
        purpose: ``embed``, or ``memory`` for a review's calls.
        tokens: That went in.
        output: That came out.
        outcome: ``ok``, or ``failed``.
        calls: How many calls it stands for.
    """

    purpose: str
    model: str
    tokens: int
    output: int = 0
    outcome: str = "ok"
    calls: int = 1


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What a review came to; it is kept, so that a repeated commit asks no model again.

    Attributes:
        fault: Why it failed; ``None``: it did not.
        pending: What waits for the next review.
        usage: Of its model calls, each.
        embedded: Of its comparisons, together.
        candidates: How many facts the model proposed.
        changes: What it stages.
    """

    fault: str | None
    usage: tuple[Usage, ...]
    pending: Pending
    embedded: Usage | None = None
    candidates: int = 0
    changes: tuple[StagedChange, ...] = ()


@dataclass(frozen=True, slots=True)
class ReviewState:
    """A review's intent, stored before its model is called; one without an outcome at its deadline has failed."""

    deadline: str
    outcome: Reviewed | None


@dataclass(frozen=True, slots=True)
class Call:
    """A recall or a tool call of the attempt: its execution, its answer and what it staged.

    Attributes:
        kind: ``recall`` or ``tool``; recall ids and call ids do not collide.
        sequence: Sequence of its event.
        answer: What the reply is made from: ids, versions and flags, never texts of records.
        input: As given; a store may leave out a long one when it reads a call back.
        listed: Versions it put before its conversation, when it is a recorded recall.
        dropped: What left the context before it: ``"all"`` or execution ids.
    """

    call_id: str
    kind: str
    execution_id: str
    name: str
    sequence: int
    fingerprint: str
    status: CallStatus
    answer: Mapping[str, JsonValue]
    input: Mapping[str, JsonValue]
    helper: str | None = None
    staged: StagedChange | None = None
    listed: Listed | None = None
    dropped: Dropped | None = None
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Drop:
    """A ``context`` event: what left a conversation's context at ``sequence``."""

    append_id: str
    sequence: int
    helper: str | None
    dropped: Dropped


LogEntry = Call | Drop
"""What of an attempt decides its later answers; the rest of the transcript does not."""


@dataclass(frozen=True, slots=True)
class Append:
    """A run of sequences for the events of one append.

    Attributes:
        stored: Whether all its events are stored.
    """

    append_id: str
    first: int
    last: int
    fingerprint: str
    stored: bool


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a transcript; ``body`` is its JSON form without sequence."""

    sequence: int
    type: EventType
    helper: str | None
    body: Mapping[str, JsonValue]


def lease_expired(last_call: str, now: str) -> bool:
    """Whether an attempt that was last called at ``last_call`` may be taken over at ``now``."""
    return (datetime.fromisoformat(now) - datetime.fromisoformat(last_call)).total_seconds() >= LEASE_SECONDS
