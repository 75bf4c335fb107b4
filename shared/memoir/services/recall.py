"""``recall``: the records that best match the current work, before a model call (page "Agent memory"; SPEC §4).

The block is always returned in full. Only recording is suppressed: when nothing is found, and when every record version
was put before the same conversation already and is still in its context.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial

from pydantic import JsonValue

from memoir.domain.conversation import in_context, recall_query, without
from memoir.domain.errors import IdReused, LimitExceeded
from memoir.domain.events import EventType
from memoir.domain.record import Record
from memoir.domain.tools import MAX_QUERY_CHARACTERS, ToolName, query_fault
from memoir.domain.turn import AttemptId, Call, CallStatus, Event, Listed
from memoir.protocol import Recall, RecallResult
from memoir.services.answers import degraded, log_lack
from memoir.services.child import call_event, child_execution, usage_event
from memoir.services.fingerprint import fingerprint
from memoir.services.present import at_refs, entry, fenced, fit, parse_refs, refs
from memoir.services.ranked import Filters, Found
from memoir.services.resources import Resources
from memoir.services.retry import until_settled
from memoir.services.search import find
from memoir.services.turns import Turn, load_turn, require_open, require_room

READ_EVENTS = 50
"""Newest events of an attempt that are looked at for the query."""


def recall(res: Resources, request: Recall) -> RecallResult:
    """Recall for the agent or a helper, or answer again.

    Raises:
        IdReused: ``recallId`` was used with other content.
        TurnEnded, TurnAbandoned: The attempt has ended.
    """
    return until_settled(res.clock, lambda: _recall(res, request))


def _recall(res: Resources, request: Recall) -> RecallResult:
    turn = load_turn(res, AttemptId(request.execution_id, request.invocation_number))
    mark = fingerprint(request.text, request.helper_id, request.dropped)
    if earlier := turn.call(request.recall_id, "recall"):
        if earlier.fingerprint != mark:
            raise IdReused(f"recallId {request.recall_id} was used with other content: use a new one", path="recallId")
        return _result(turn, earlier, at_refs(res, turn, parse_refs(earlier.answer.get("records", []))))
    require_open(turn.attempt)
    text = cache(partial(_query, res, turn, request))
    found, committed = res.gather.gather(
        lambda: find(res, turn, text, Filters(), turn.harness.memory.search.max_results),
        lambda: _committed(res, turn, request.helper_id),
    )
    records = found.records[: fit(found.records, turn, whole=False)]
    call = _call(res, turn, request, _Recalled(mark, text(), found, tuple(records), committed))
    _record(res, turn, call)
    return _result(turn, call, records)


def _query(res: Resources, turn: Turn, request: Recall) -> str:
    """What to look for: the given text, else what the conversation said last; empty: nothing."""
    if not turn.harness.memory.enabled:
        return ""
    if request.text is not None and request.text.strip():
        if len(request.text) > MAX_QUERY_CHARACTERS:
            raise LimitExceeded(query_fault("text", request.text), path="text")
        return request.text
    attempt, helper = turn.attempt, request.helper_id
    wanted = [attempt.id, *(attempt.previous if helper is None else ())]
    pages, opening = res.gather.gather(
        lambda: res.gather.each([partial(res.turns.newest_events, one, READ_EVENTS) for one in wanted]),
        lambda: res.turns.opening(attempt.id),
    )
    newest = pages[0]
    said = [*newest]
    if opening is not None and all(event.sequence != opening.sequence for event in newest):
        said.append(opening)
    said.extend(event for events in pages[1:] for event in events)
    return recall_query(said, helper)


@dataclass(frozen=True, slots=True)
class _Recalled:
    """What one recall asked and found; ``records`` are those that the reply holds."""

    mark: str
    text: str
    found: Found
    records: tuple[Record, ...]
    committed: tuple[Listed, ...]


def _call(res: Resources, turn: Turn, request: Recall, recalled: _Recalled) -> Call:
    found, records = recalled.found, recalled.records
    execution_id = child_execution(turn.attempt.id, "recall", request.recall_id)
    versions = tuple((record.memory_id, record.version) for record in records)
    recorded = bool(versions) and not set(versions) <= _before(turn, recalled.committed, request)
    answer: dict[str, JsonValue] = {
        "records": refs(records),
        "nonce": res.ids.nonce(),
        "lack": log_lack(found.lack),
        "behind": found.behind,
        "remaining": [record.memory_id for record in found.records[len(records) :]],
    }
    return Call(
        call_id=request.recall_id,
        kind="recall",
        execution_id=execution_id,
        name=ToolName.SEARCH_MEMORY,
        sequence=turn.attempt.next_sequence,
        fingerprint=recalled.mark,
        status=CallStatus.COMPLETED,
        answer=answer,
        input={"recall": True, "query": recalled.text},
        helper=request.helper_id,
        listed=Listed(execution_id, versions) if recorded else None,
        dropped=request.dropped,
        usage=found.usage,
    )


def _committed(res: Resources, turn: Turn, helper: str | None) -> tuple[Listed, ...]:
    """Recalls of the session's committed turns that its main thread still has in context."""
    execution = turn.execution
    if helper is not None or execution.session_id is None:
        return ()
    return res.turns.listed(execution.action_id, execution.session_id, preview=execution.preview)


def _before(turn: Turn, committed: Sequence[Listed], request: Recall) -> set[tuple[str, int]]:
    """Record versions that the conversation still has before it."""
    listed = without(in_context(committed, turn.loaded.log, request.helper_id), request.dropped)
    return {version for one in listed for version in one.versions}


def _record(res: Resources, turn: Turn, call: Call) -> None:
    events: list[Event] = []
    if call.dropped is not None:
        dropped: JsonValue = call.dropped if isinstance(call.dropped, str) else [*call.dropped]
        events.append(Event(call.sequence, EventType.CONTEXT, call.helper, {"dropped": dropped}))
    if call.listed is not None:
        events.append(_numbered(call_event(call, EventType.RECALL), call.sequence + len(events)))
    if call.usage is not None:
        events.append(usage_event(call.sequence + len(events), call.usage, call.helper, call.execution_id))
    require_room(turn.attempt, len(events))
    res.turns.record(turn.attempt, call, events, turn.now)


def _numbered(event: Event, sequence: int) -> Event:
    return Event(sequence, event.type, event.helper, event.body)


def _result(turn: Turn, call: Call, records: Sequence[Record]) -> RecallResult:
    labels = turn.harness.memory.label_names()
    left = call.answer.get("remaining")
    return RecallResult(
        block=fenced(records, turn, call, whole=False) if records else "",
        records=tuple(entry(record, labels) for record in records),
        recorded=call.listed is not None,
        execution_id=call.execution_id if call.listed is not None else None,
        degraded=degraded(call.answer.get("lack")),
        behind=True if call.answer.get("behind") else None,
        remaining=tuple(map(str, left)) if isinstance(left, list) and left else None,
    )
