"""``appendEvents``: the runtime's part of the transcript (SPEC §4, §10)."""

from memoir.domain.conversation import dropped_by
from memoir.domain.errors import IdReused, LimitExceeded, NotFound
from memoir.domain.events import MAX_EVENT_BYTES, EventType
from memoir.domain.turn import Append, Attempt, AttemptId, Event
from memoir.protocol import AppendEvents, AppendEventsResult
from memoir.services.events import event_bytes
from memoir.services.fingerprint import fingerprint
from memoir.services.resources import Resources
from memoir.services.retry import until_settled
from memoir.services.turns import require_open, require_room


def append_events(res: Resources, request: AppendEvents) -> AppendEventsResult:
    """Append events in their order, or answer again.

    Raises:
        LimitExceeded: An event or the transcript is too large; nothing is appended.
        IdReused: ``appendId`` was used with other events.
        TurnEnded, TurnAbandoned: The attempt has ended.
    """
    events = _events(request, 1)
    for position, event in enumerate(events):
        if (size := event_bytes(event)) > MAX_EVENT_BYTES:
            raise LimitExceeded(
                f"events[{position}] is {size} bytes as JSON; at most {MAX_EVENT_BYTES} are allowed: split it",
                path=f"events[{position}]",
            )
    mark = fingerprint([[event.type, event.helper, dict(event.body)] for event in events])
    return until_settled(res.clock, lambda: _append(res, request, mark))


def _append(res: Resources, request: AppendEvents, mark: str) -> AppendEventsResult:
    attempt_id = AttemptId(request.execution_id, request.invocation_number)
    (_, attempt), earlier = res.gather.gather(
        lambda: res.turns.find(attempt_id), lambda: res.turns.find_append(attempt_id, request.append_id)
    )
    if attempt is None:
        raise NotFound(
            f"execution {attempt_id.execution_id} has no invocation {attempt_id.number}: call beginTurn first",
            path="executionId",
        )
    if earlier is not None:
        return _again(res, request, attempt, earlier, mark)
    require_open(attempt)
    require_room(attempt, len(request.events))
    events = _events(request, attempt.next_sequence)
    append = Append(request.append_id, events[0].sequence, events[-1].sequence, mark, stored=True)
    res.turns.append(attempt, append, events, dropped_by(request.append_id, events), res.clock.now())
    return AppendEventsResult(first=append.first, last=append.last)


def _again(res: Resources, request: AppendEvents, attempt: Attempt, earlier: Append, mark: str) -> AppendEventsResult:
    if earlier.fingerprint != mark:
        raise IdReused(f"appendId {request.append_id} was used with other events: use a new one", path="appendId")
    if not earlier.stored:
        events = _events(request, earlier.first)
        res.turns.finish_append(attempt.id, earlier, events, dropped_by(request.append_id, events))
    return AppendEventsResult(first=earlier.first, last=earlier.last)


def _events(request: AppendEvents, first: int) -> list[Event]:
    return [
        Event(
            sequence=first + position,
            type=EventType(event.type),
            helper=event.helper,
            body=event.model_dump(mode="json", by_alias=True, exclude={"type", "helper"}),
        )
        for position, event in enumerate(request.events)
    ]
