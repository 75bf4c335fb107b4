"""``commitTurn``: everything of the turn becomes visible in one transaction, or nothing (SPEC §4; DESIGN "Commit")."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pydantic import JsonValue

from memoir.domain.changes import ChangeSet, build_changes
from memoir.domain.conversation import in_context, newest_listed
from memoir.domain.errors import Conflict, ErrorCode, MissingAppend
from memoir.domain.events import EventType
from memoir.domain.pins import budget_fault, newly_pinned, unpinned
from memoir.domain.record import Record, Source, Status
from memoir.domain.staging import StagedAdd, StagedChange
from memoir.domain.turn import AttemptId, AttemptStatus, Event, Listed, Reviewed, Session
from memoir.domain.turn import Usage as Spent
from memoir.ports import Commit, PinChange
from memoir.protocol import CommitTurn, CommitTurnResult, SkippedAdd, Usage
from memoir.services.child import usage_event
from memoir.services.present import change, parse_refs, refs
from memoir.services.resources import Resources
from memoir.services.retry import until_settled
from memoir.services.review import AfterTurn, after_turn
from memoir.services.turns import Turn, load_turn, pins_of, require_open


def commit_turn(res: Resources, request: CommitTurn) -> CommitTurnResult:
    """Commit the attempt, or answer again; safe when two calls of it overlap.

    Raises:
        Conflict: Another turn changed a record first; the attempt is rolled back.
        MissingAppend: Events of an append are not all stored; repeat it.
        TurnEnded, TurnAbandoned: The attempt has ended otherwise.
    """
    return until_settled(res.clock, lambda: _commit(res, request))


def _commit(res: Resources, request: CommitTurn) -> CommitTurnResult:
    turn = load_turn(res, AttemptId(request.execution_id, request.invocation_number))
    attempt = turn.attempt
    if attempt.status is AttemptStatus.COMMITTED:
        return committed_result(res, turn)
    require_open(attempt)
    if attempt.pending:
        missing = ", ".join(res.turns.unfinished_appends(attempt.id))
        raise MissingAppend(f"events of these appends are not all stored: {missing}; repeat appendEvents with them")
    session, before = _session(res, turn)
    after = after_turn(res, turn, session)
    now = max(res.clock.now(), session.last_commit) if session else res.clock.now()
    try:
        changes, pins = _decided(res, turn, after.review if after else None, now)
    except Conflict as conflict:
        outcome: dict[str, JsonValue] = {"code": ErrorCode.CONFLICT, "message": conflict.message}
        res.turns.close(turn.loaded, AttemptStatus.ROLLED_BACK, now, reason="conflict", outcome=outcome)
        raise
    commit = Commit(
        execution=turn.execution,
        attempt=attempt,
        session=session,
        changes=changes,
        listed=_listed(turn, before),
        outbox_id=res.ids.uuid7(),
        now=now,
        outcome=_outcome(turn, changes, after),
        pins=pins,
        pending=after.pending if after and session else None,
        events=_events(turn, changes, after),
    )
    res.turns.commit(commit)
    return _result(commit.outcome, {record.memory_id: record for record in changes.changed})


def _session(res: Resources, turn: Turn) -> tuple[Session | None, tuple[Listed, ...]]:
    action_id, session_id = turn.execution.action_id, turn.execution.session_id
    if session_id is None:
        return None, ()
    return res.gather.gather(
        lambda: res.turns.session(action_id, session_id),
        lambda: res.turns.listed(action_id, session_id, preview=turn.execution.preview),
    )


def _decided(res: Resources, turn: Turn, review: Reviewed | None, now: str) -> tuple[ChangeSet, PinChange | None]:
    """What the commit does; a pin that the review keeps and that does not fit any more costs the review's items only.

    Raises:
        Conflict: Another turn was first with what this turn's own calls change.
    """
    reviewed = review.changes if review else ()
    changes = _changes(res, turn, reviewed, now)
    try:
        return changes, _pins(res, turn, changes)
    except Conflict as conflict:
        pinned = [one for one in reviewed if isinstance(one, StagedAdd) and one.record.pinned]
        if not pinned:
            raise
        changes = _changes(res, turn, [one for one in reviewed if one not in pinned], now)
        changes = replace(changes, dropped=(*changes.dropped, conflict.message))
        return changes, _pins(res, turn, changes)


def _changes(res: Resources, turn: Turn, review: Sequence[StagedChange], now: str) -> ChangeSet:
    staged = turn.staged.changes
    everything = (*staged, *review)
    if not everything:
        return ChangeSet()
    action_id = turn.execution.action_id
    keys = [change.lock for change in everything if isinstance(change, StagedAdd) and change.lock is not None]
    touched = sorted(replace(turn.staged, changes=everything).touched())
    heads, holders = res.gather.gather(lambda: res.records.get(action_id, touched), lambda: res.records.holders(keys))
    others = [holder for holder in holders.values() if holder not in heads]
    if others:
        heads = heads | res.records.get(action_id, others)
    principal, hidden = turn.agent.principal, turn.committed_hidden
    return build_changes(staged, heads, holders, now, principal, hidden=hidden, review=review)


def _pins(res: Resources, turn: Turn, changes: ChangeSet) -> PinChange | None:
    """What the commit does to the pinned lists.

    Raises:
        Conflict: Other turns pinned so much meanwhile that the list would go over its budget.
    """
    removed, added = unpinned(changes), newly_pinned(changes)
    if not removed and not added:
        return None
    before = pins_of(res, turn.execution, turn.committed_hidden)
    after = before.after(removed, added)
    pinned = turn.harness.memory.pinned
    if added and pinned is not None and (fault := budget_fault(before, after, pinned.max_tokens)):
        raise Conflict(fault)
    return PinChange(before, after)


def _listed(turn: Turn, before: Sequence[Listed]) -> tuple[Listed, ...] | None:
    """What recalls put before the session's conversation and is still there; ``None``: as it was."""
    if turn.execution.session_id is None:
        return None
    after = newest_listed(in_context(before, turn.loaded.log, None))
    return after if after != tuple(before) else None


def _review(changes: ChangeSet, after: AfterTurn | None) -> JsonValue:
    """What the review did, without texts; ``None`` when none was due."""
    if after is None or after.review is None:
        return None
    review = after.review
    learned = [record for record in changes.written if record.source is Source.EXTRACTION]
    return {
        "status": "FAILED" if review.fault is not None else "COMPLETED",
        "fault": review.fault,
        "calls": len(review.usage),
        "candidates": review.candidates,
        "written": refs(learned),
        "dropped": [*changes.dropped],
    }


def _events(turn: Turn, changes: ChangeSet, after: AfterTurn | None) -> tuple[Event, ...]:
    """The transcript's last events: what the review did, and what its calls cost."""
    if after is None or after.review is None:
        return ()
    first, review = turn.attempt.next_sequence, _review(changes, after)
    body = review if isinstance(review, dict) else {}
    if spent := after.review.embedded:
        body = {**body, "embed": {"model": spent.model, "inputTokens": spent.tokens, "calls": spent.calls}}
    events = [Event(first, EventType.REVIEW, None, body)]
    return (*events, *(usage_event(first + n, one, None, None) for n, one in enumerate(after.review.usage, 1)))


def _outcome(turn: Turn, changes: ChangeSet, after: AfterTurn | None) -> dict[str, JsonValue]:
    review = after.review if after else None
    made = [call.usage for call in turn.loaded.calls if call.usage is not None]
    compared = [review.embedded] if review and review.embedded else []
    return {
        "review": _review(changes, after),
        "written": refs(changes.written),
        "replaced": refs(record for record in changes.changed if record.status is Status.SUPERSEDED),
        "deleted": refs(record for record in changes.changed if record.status is Status.DELETED),
        "skipped": [[skip.call_id, skip.memory_id, skip.existing_id] for skip in changes.skips],
        "usage": _usage([*made, *(review.usage if review else ()), *compared]),
    }


def _usage(spent: Sequence[Spent]) -> list[JsonValue]:
    sums: dict[tuple[str, str, str], list[int]] = {}
    for usage in spent:
        one = sums.setdefault((usage.purpose, usage.model, usage.outcome), [0, 0, 0])
        for place, number in enumerate((usage.calls, usage.tokens, usage.output)):
            one[place] += number
    return [[purpose, model, *counts, outcome] for (purpose, model, outcome), counts in sums.items()]


def committed_result(res: Resources, turn: Turn) -> CommitTurnResult:
    """The result of a committed attempt, made again from what its commit stored."""
    outcome = turn.attempt.outcome or {}
    ids = {ref[0] for key in ("written", "replaced", "deleted") for ref in parse_refs(outcome.get(key, []))}
    return _result(outcome, res.records.get(turn.execution.action_id, sorted(ids)))


def _result(outcome: Mapping[str, JsonValue], records: Mapping[str, Record]) -> CommitTurnResult:
    def shown(key: str) -> tuple[Record, ...]:
        found = [(records[one], version) for one, version in parse_refs(outcome.get(key, []))]
        return tuple(record.at_version(version) or record for record, version in found)

    return CommitTurnResult(
        written=tuple(map(change, shown("written"))),
        replaced=tuple(map(change, shown("replaced"))),
        deleted=tuple(map(change, shown("deleted"))),
        skipped=tuple(
            SkippedAdd(call_id=str(one[0]), memory_id=str(one[1]), existing_id=str(one[2]))
            for one in _rows(outcome.get("skipped"))
        ),
        usage=tuple(
            Usage(
                purpose=str(one[0]),
                model=str(one[1]),
                calls=int(str(one[2])),
                input_tokens=int(str(one[3])),
                output_tokens=int(str(one[4])),
                outcome=str(one[5]),
            )
            for one in _rows(outcome.get("usage"))
        ),
        review=_shown_review(outcome.get("review")),
    )


def _shown_review(value: JsonValue) -> dict[str, JsonValue] | None:
    if not isinstance(value, dict):
        return None
    written: list[JsonValue] = [memory_id for memory_id, _ in parse_refs(value.get("written", []))]
    return {**value, "written": written}


def _rows(value: JsonValue) -> list[list[JsonValue]]:
    return [one for one in value if isinstance(one, list)] if isinstance(value, list) else []
