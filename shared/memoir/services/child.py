"""Executions inside a turn, and the events they leave in its transcript (page "Agent memory"; SPEC §1, §10)."""

import uuid

from pydantic import JsonValue

from memoir.domain.events import EventType
from memoir.domain.turn import AttemptId, Call, Event, Usage
from memoir.services.resources import Resources
from memoir.services.turns import Turn, require_room

_NAMESPACE = uuid.UUID("6d656d6f-6972-5000-8000-000000000000")


def child_execution(attempt: AttemptId, kind: str, call_id: str) -> str:
    """The id of a call's execution: the same call always has the same."""
    return str(uuid.uuid5(_NAMESPACE, f"{attempt.execution_id}/{attempt.number}/{kind}/{call_id}"))


def call_event(call: Call, event_type: EventType) -> Event:
    """The event that a call leaves; what it asked and answered stays in the call's own item."""
    body: dict[str, JsonValue] = {
        "callId": call.call_id,
        "name": call.name,
        "executionId": call.execution_id,
        "status": call.status.value,
    }
    return Event(call.sequence, event_type, call.helper, body)


def usage_event(sequence: int, usage: Usage, helper: str | None, execution_id: str | None) -> Event:
    """What a model call cost (purpose ``embed`` is counted by no limit); a review's belongs to no call."""
    body: dict[str, JsonValue] = {
        "purpose": usage.purpose,
        "model": usage.model,
        "inputTokens": usage.tokens,
        "outputTokens": usage.output,
        "outcome": usage.outcome,
    }
    if execution_id is not None:
        body["executionId"] = execution_id
    return Event(sequence, EventType.USAGE, helper, body)


def record_call(res: Resources, turn: Turn, call: Call, event_type: EventType) -> None:
    """Log a call with its event and what it cost.

    Raises:
        LimitExceeded: The transcript is full.
        Raced: The attempt moved on; decide again.
    """
    events = [call_event(call, event_type)]
    if call.usage is not None:
        events.append(usage_event(call.sequence + 1, call.usage, call.helper, call.execution_id))
    require_room(turn.attempt, len(events))
    res.turns.record(turn.attempt, call, events, turn.now)
