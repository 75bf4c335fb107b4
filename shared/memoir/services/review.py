"""The review at the end of a turn: what its conversation taught, staged before the commit (page; SPEC §7).

A review never loses a turn: whatever goes wrong is recorded, and the same messages are reviewed next time. Its intent
is stored before the model is called and its outcome afterwards, so that no repeated or overlapping commit asks again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property

from memoir.domain.errors import ReviewFault, ToolRefused
from memoir.domain.pending import Pending
from memoir.domain.staging import MAX_CHANGES
from memoir.domain.turn import Event, Reviewed, Session
from memoir.domain.visibility import Reach
from memoir.domain.window import Line, Window, lines_of, messages_in
from memoir.ports import Reviewer
from memoir.services.resources import Resources
from memoir.services.review_calls import Caller
from memoir.services.review_plan import propose, staged_changes
from memoir.services.turns import Turn

GRACE_SECONDS = 5
"""Beyond the review's own time, before an intent without an outcome counts as failed."""
FAULT_CHARACTERS = 1_000
NO_OUTCOME = "the review was begun and did not end: its function died, or took too long"


@dataclass(frozen=True, slots=True)
class AfterTurn:
    """What the commit takes from the review; without ``review`` none was due."""

    pending: Pending
    review: Reviewed | None


@dataclass(frozen=True)
class ReviewedTurn(Turn):
    """The turn as its review compares: with what it reads, and what it writes."""

    @cached_property
    def reading(self) -> Reach:
        """The scopes read or written."""
        memory = self.harness.memory
        return replace(Reach.reading(self.harness, self.execution, self.hidden), scopes=memory.reads | memory.writes)


def after_turn(res: Resources, turn: Turn, session: Session | None) -> AfterTurn | None:
    """Review the turn if that is due; ``None`` where nothing is reviewed.

    Raises:
        Raced: Another call began or ended the review; decide again.
    """
    memory = turn.harness.memory
    if res.reviewer is None or not memory.enabled:
        return None
    before = session.place(preview=turn.execution.preview).pending if session else Pending()
    events = res.turns.said(turn.attempt.id)
    messages = messages_in(events)
    if not before.due(memory.extraction, messages):
        return AfterTurn(before.waiting(turn.execution.turn or 0, messages), None)
    outcome = _outcome(res, res.reviewer, turn, before, events)
    return AfterTurn(outcome.pending, outcome)


def _outcome(res: Resources, reviewer: Reviewer, turn: Turn, before: Pending, events: Sequence[Event]) -> Reviewed:
    me = turn.attempt.id
    failed = before.failed(turn.execution.turn or 0, messages_in(events))
    state = res.turns.review(me)
    if state is None:
        deadline = datetime.fromisoformat(res.clock.now()) + timedelta(seconds=reviewer.seconds + GRACE_SECONDS)
        res.turns.begin_review(me, deadline.isoformat(timespec="milliseconds").replace("+00:00", "Z"))
        outcome = _run(res, reviewer, turn, before, events, failed)
        res.turns.end_review(me, outcome)
        return outcome
    tried = 10
    while state.outcome is None and res.clock.now() < state.deadline:
        res.clock.pause(tried)
        state = res.turns.review(me) or state
    if state.outcome is None:
        outcome = Reviewed(NO_OUTCOME, (), failed)
        res.turns.end_review(me, outcome)
        return outcome
    return state.outcome


def _run(
    res: Resources, reviewer: Reviewer, turn: Turn, before: Pending, events: Sequence[Event], failed: Pending
) -> Reviewed:
    lines = [*_waiting_lines(res, turn, before), *lines_of(turn.execution.turn or 0, events)]
    window = Window.over(lines)
    if not window.lines:
        return Reviewed(None, (), Pending())
    caller = Caller(reviewer, res.clock, window, turn)
    seen = ReviewedTurn(turn.loaded, turn.agent, turn.now, turn.committed_hidden)
    try:
        candidates = caller.extract()
        room = MAX_CHANGES - len(turn.staged.changes)
        decisions = propose(res, seen, caller, candidates, room)
        changes = staged_changes(res, seen, decisions)
    except Exception as exc:  # noqa: BLE001 - a review never loses a turn, whatever its model or the search did
        return Reviewed(_told(exc, before), tuple(caller.usage), failed, caller.embedded)
    left = _messages_left(window.rest)
    return Reviewed(None, tuple(caller.usage), window.left(left), caller.embedded, len(candidates), changes)


def _told(exc: Exception, before: Pending) -> str:
    """What is recorded of a failed review; of an error nobody expected its type, since its text may hold anything."""
    known = isinstance(exc, ReviewFault | ToolRefused)
    fault = str(exc)[:FAULT_CHARACTERS] if known else f"the review ended in a {type(exc).__name__}"
    return f"{fault} (given up: it was the third try on these messages)" if before.last_try else fault


def _waiting_lines(res: Resources, turn: Turn, before: Pending) -> list[Line]:
    """The lines of the session's earlier turns that wait for a review."""
    execution = turn.execution
    if execution.session_id is None or not before.turns:
        return []
    attempts = res.turns.committed(execution.action_id, execution.session_id, before.turns)
    lines: list[Line] = []
    for place, number in enumerate(before.turns):
        if number in attempts:
            lines += lines_of(number, res.turns.said(attempts[number]), before.after if place == 0 else 0)
    return lines


def _messages_left(rest: Sequence[Line]) -> int:
    return sum(line.speaker in ("user", "agent") for line in rest)
