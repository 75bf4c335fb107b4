"""``TurnStore`` in memory (see ``tests/fakes.py``)."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pydantic import JsonValue

from memoir.domain.events import EventType
from memoir.domain.record import Record
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
from memoir.domain.window import REVIEWED
from memoir.ports import Beginning, Commit, LoadedTurn, Raced
from tests.fakes import FakeRecords, pin_keys


@dataclass
class Transcript:
    """What is kept of one attempt."""

    events: dict[int, Event] = field(default_factory=dict)
    log: list[LogEntry] = field(default_factory=list)
    appends: dict[str, Append] = field(default_factory=dict)
    review: ReviewState | None = None


class FakeTurns:
    """``TurnStore`` beside a ``FakeRecords``, which its commits write."""

    def __init__(self, records: FakeRecords) -> None:
        self._records = records
        self._executions: dict[str, Execution] = {}
        self._attempts: dict[AttemptId, Attempt] = {}
        self._sessions: dict[tuple[str, str], Session] = {}
        self._listed: dict[tuple[str, str, bool], tuple[Listed, ...]] = {}
        self._transcripts: dict[AttemptId, Transcript] = {}
        self._committed: dict[tuple[str, str, int], AttemptId] = {}

    def load(self, attempt: AttemptId) -> LoadedTurn | None:
        execution, found = self.find(attempt)
        if execution is None or found is None:
            return None
        return LoadedTurn(execution, found, tuple(sorted(self._of(attempt).log, key=lambda entry: entry.sequence)))

    def find(self, attempt: AttemptId) -> tuple[Execution | None, Attempt | None]:
        return self._executions.get(attempt.execution_id), self._attempts.get(attempt)

    def session(self, action_id: str, session_id: str) -> Session | None:
        return self._sessions.get((action_id, session_id))

    def listed(self, action_id: str, session_id: str, *, preview: bool = False) -> tuple[Listed, ...]:
        return self._listed.get((action_id, session_id, preview), ())

    def begin(self, beginning: Beginning) -> None:
        execution, session = beginning.execution, beginning.session
        known = self._executions.get(execution.execution_id)
        expected = known.invocation + 1 if known else 1
        key = (session.action_id, session.session_id) if session else None
        if (
            execution.invocation != expected
            or beginning.attempt.id in self._attempts
            or any(self._attempts[one].status is not AttemptStatus.OPEN for one in beginning.abandon)
            or (key is not None and self._sessions.get(key) != beginning.session_before)
        ):
            raise Raced
        self._executions[execution.execution_id] = execution
        self._attempts[beginning.attempt.id] = beginning.attempt
        for one in beginning.abandon:
            new = beginning.attempt.id
            reason = f"taken over by execution {new.execution_id}, invocation {new.number}"
            self._attempts[one] = replace(self._attempts[one], status=AttemptStatus.ABANDONED, reason=reason)
        if key is not None and session is not None:
            self._sessions[key] = session
        self._of(beginning.attempt.id).events |= {event.sequence: event for event in beginning.events}

    def record(self, attempt: Attempt, call: Call, events: Sequence[Event], now: str) -> None:
        kept = self._of(attempt.id)
        if any(isinstance(one, Call) and (one.kind, one.call_id) == (call.kind, call.call_id) for one in kept.log):
            raise Raced
        self._advance(attempt, len(events), now)
        kept.log.append(call)
        kept.events |= {event.sequence: event for event in events}

    def find_append(self, attempt: AttemptId, append_id: str) -> Append | None:
        return self._of(attempt).appends.get(append_id)

    def append(
        self, attempt: Attempt, append: Append, events: Sequence[Event], drops: Sequence[Drop], now: str
    ) -> None:
        kept = self._of(attempt.id)
        if append.append_id in kept.appends:
            raise Raced
        self._advance(attempt, len(events), now)
        kept.appends[append.append_id] = replace(append, stored=True)
        kept.events |= {event.sequence: event for event in events}
        kept.log += drops

    def finish_append(self, attempt: AttemptId, append: Append, events: Sequence[Event], drops: Sequence[Drop]) -> None:
        raise Raced  # here every append is stored whole at once

    def unfinished_appends(self, attempt: AttemptId) -> list[str]:
        return [one.append_id for one in self._of(attempt).appends.values() if not one.stored]

    def opening(self, attempt: AttemptId) -> Event | None:
        return self._of(attempt).events.get(1)

    def newest_events(self, attempt: AttemptId, limit: int) -> list[Event]:
        events = self._of(attempt).events
        return [events[sequence] for sequence in sorted(events, reverse=True)[:limit]]

    def said(self, attempt: AttemptId) -> list[Event]:
        events = sorted(self._of(attempt).events.values(), key=lambda event: event.sequence)
        return [event for event in events if event.type in REVIEWED]

    def committed(self, action_id: str, session_id: str, turns: Sequence[int]) -> dict[int, AttemptId]:
        return {turn: self._committed[action_id, session_id, turn] for turn in turns}

    def review(self, attempt: AttemptId) -> ReviewState | None:
        return self._of(attempt).review

    def begin_review(self, attempt: AttemptId, deadline: str) -> None:
        if self._of(attempt).review is not None:
            raise Raced
        self._of(attempt).review = ReviewState(deadline, None)

    def end_review(self, attempt: AttemptId, outcome: Reviewed) -> None:
        state = self._of(attempt).review
        if state is None or state.outcome is not None:
            raise Raced
        self._of(attempt).review = ReviewState(state.deadline, outcome)

    def replies(self, attempt: AttemptId) -> dict[str | None, int]:
        events = sorted(self._of(attempt).events.values(), key=lambda event: event.sequence)
        return {event.helper: event.sequence for event in events if event.type is EventType.REPLY}

    def close(
        self,
        loaded: LoadedTurn,
        status: AttemptStatus,
        now: str,
        *,
        reason: str | None = None,
        outcome: dict[str, JsonValue] | None = None,
    ) -> None:
        attempt = self._attempts[loaded.attempt.id]
        session_id = loaded.execution.session_id
        key = (loaded.execution.action_id, session_id) if session_id is not None else None
        preview = loaded.execution.preview
        if attempt.status is not AttemptStatus.OPEN or (
            key and self._sessions[key].place(preview=preview).open != attempt.id
        ):
            raise Raced
        self._attempts[attempt.id] = replace(attempt, status=status, last_call=now, reason=reason, outcome=outcome)
        if key:
            self._sessions[key] = self._sessions[key].held(None, preview=preview)

    def commit(self, commit: Commit) -> None:
        stored = self._attempts[commit.attempt.id]
        session, changes, records = commit.session, commit.changes, self._records
        key = (session.action_id, session.session_id) if session else None
        agent, preview = commit.execution.action_id, commit.execution.preview
        hidden = records.shadows.setdefault(agent, {})
        if (
            stored.status is not AttemptStatus.OPEN
            or (stored.next_sequence, stored.pending) != (commit.attempt.next_sequence, 0)
            or (key and session and _moved(self._sessions[key], session, commit))
            or any(shadow.live_id in hidden for shadow in changes.shadows)
            or any((agent, one.memory_id) in records.records for one in changes.written)
            or any(records.locks.get(lock.key) != lock.expected for lock in changes.locks)
            or any(_version(records, one.before) != one.before.version for one in changes.updates)
            or (commit.pins and _other_pins(records, commit))
        ):
            raise Raced
        hidden |= {shadow.live_id: shadow.preview_id for shadow in changes.shadows}
        if commit.pins:
            lists = (commit.pins.after.agent, commit.pins.after.session)
            records.pin_lists |= zip(pin_keys(agent, commit.execution.session_id, preview=preview), lists, strict=True)
        self._attempts[stored.id] = replace(
            stored,
            status=AttemptStatus.COMMITTED,
            last_call=commit.now,
            outcome=commit.outcome,
            next_sequence=stored.next_sequence + len(commit.events),
        )
        self._of(stored.id).events |= {event.sequence: event for event in commit.events}
        if key and session:
            self._sessions[key] = self._sessions[key].committed(
                commit.attempt.id, commit.now, preview=preview, pending=commit.pending
            )
            self._committed[*key, commit.execution.turn or 0] = commit.attempt.id
            if commit.listed is not None:
                self._listed[*key, preview] = commit.listed
        records.records |= {(agent, one.memory_id): one for one in changes.changed}
        records.locks |= {lock.key: lock.memory_id for lock in changes.locks}
        if changes.changed:
            records.commits.append(commit)

    def _of(self, attempt: AttemptId) -> Transcript:
        return self._transcripts.setdefault(attempt, Transcript())

    def _advance(self, attempt: Attempt, count: int, now: str) -> None:
        stored = self._attempts[attempt.id]
        if stored.status is not AttemptStatus.OPEN or stored.next_sequence != attempt.next_sequence:
            raise Raced
        self._attempts[attempt.id] = replace(stored, next_sequence=stored.next_sequence + count, last_call=now)


def _moved(stored: Session, read: Session, commit: Commit) -> bool:
    held = stored.place(preview=commit.execution.preview).open
    return held != commit.attempt.id or stored.commits != read.commits


def _other_pins(records: FakeRecords, commit: Commit) -> bool:
    execution, before = commit.execution, commit.pins.before if commit.pins else None
    stored = records.pins(execution.action_id, execution.session_id, preview=execution.preview)
    return before is None or (stored.agent, stored.session) != (before.agent, before.session)


def _version(records: FakeRecords, record: Record) -> int | None:
    stored = records.records.get((record.action_id, record.memory_id))
    return stored.version if stored else None
