"""Entries of a transcript: events, appends, calls with what they stage, and drops as items, and back."""

import json
from collections.abc import Sequence
from typing import Any

from pydantic import JsonValue

from memoir.adapters.dynamodb import keys
from memoir.adapters.dynamodb.codec import versions_from
from memoir.adapters.dynamodb.records_codec import record_fields, record_from
from memoir.adapters.dynamodb.values import Item, Plain, chunked, item, squeeze, to_json, unsqueeze
from memoir.domain.events import EventType
from memoir.domain.spoken import spoken
from memoir.domain.staging import StagedAdd, StagedChange, StagedDelete
from memoir.domain.turn import (
    Append,
    AttemptId,
    Call,
    CallStatus,
    Drop,
    Dropped,
    Event,
    Execution,
    Listed,
    Usage,
)

TAIL_CHARACTERS = 8_000
"""Of a long event's text, what its own item keeps."""
_SAID_IN = {EventType.TOOL_RESULT: "output", EventType.TOOL_ERROR: "error"}


def event_items(attempt: AttemptId, event: Event) -> list[Item]:
    """An event's item, and pieces of a long body; only the item lies among the events."""
    pk, sk = keys.transcript(attempt), keys.event(event.sequence)
    body = squeeze(to_json(event.body))
    count, pieces = chunked(pk, sk, body)
    fields: dict[str, Plain | None] = {"type": event.type.value, "helper": event.helper}
    if count:
        fields |= {"chunks": count, "tail": squeeze(spoken(event)[-TAIL_CHARACTERS:])}
    else:
        fields["body"] = body
    return [item(pk, sk, fields), *pieces]


def event_from(found: dict[str, Any]) -> Event:
    """Read an event; of a long one, the tail of what it says."""
    kind = EventType(found["type"])
    if "chunks" in found:
        body = {_SAID_IN.get(kind, "text"): unsqueeze(found["tail"])}
    else:
        body = json.loads(unsqueeze(found["body"]))
    return Event(int(found["sk"].removeprefix(keys.EVENTS)), kind, found.get("helper"), body)


def append_item(attempt: AttemptId, append: Append, *, stored: bool) -> Item:
    """A reserved append."""
    fields: dict[str, Plain | None] = {
        "id": append.append_id,
        "first": append.first,
        "last": append.last,
        "fingerprint": append.fingerprint,
        "is_stored": stored,
    }
    return item(keys.transcript(attempt), keys.append(append.append_id), fields)


def append_from(found: dict[str, Any]) -> Append:
    """Read an append."""
    return Append(found["id"], found["first"], found["last"], found["fingerprint"], found["is_stored"])


def call_items(attempt: AttemptId, call: Call) -> list[Item]:
    """A call's item, and pieces of a long input."""
    pk, sk = keys.transcript(attempt), keys.call(call.kind, call.call_id)
    asked = squeeze(to_json(call.input))
    count, pieces = chunked(pk, sk, asked)
    fields: dict[str, Plain | None] = {
        "id": call.call_id,
        "kind": call.kind,
        "execution": call.execution_id,
        "name": call.name,
        "sequence": call.sequence,
        "fingerprint": call.fingerprint,
        "status": call.status.value,
        "answer": squeeze(to_json(call.answer)),
        "input": None if count else asked,
        "chunks": count or None,
        "helper": call.helper,
        "listed": to_json(call.listed.versions) if call.listed else None,
        "dropped": dropped_text(call.dropped),
        "usage": to_json(usage_row(call.usage)) if call.usage else None,
    }
    return [item(pk, sk, fields | staged_fields(call.staged)), *pieces]


def call_from(found: dict[str, Any]) -> Call:
    """Read a call; a long input is left out."""
    listed = found.get("listed")
    return Call(
        call_id=found["id"],
        kind=found["kind"],
        execution_id=found["execution"],
        name=found["name"],
        sequence=found["sequence"],
        fingerprint=found["fingerprint"],
        status=CallStatus(found["status"]),
        answer=json.loads(unsqueeze(found["answer"])),
        input=json.loads(unsqueeze(found["input"])) if "input" in found else {},
        helper=found.get("helper"),
        staged=staged_from(found),
        listed=Listed(found["execution"], versions_from(json.loads(listed))) if listed else None,
        dropped=dropped_from(found.get("dropped")),
        usage=Usage(*json.loads(found["usage"])) if "usage" in found else None,
    )


def staged_fields(staged: StagedChange | None) -> dict[str, Plain | None]:
    """A staged change as fields of the item that holds it."""
    if staged is None:
        return {}
    if isinstance(staged, StagedDelete):
        return {"deletes": staged.memory_id}
    fields = {f"r_{name}": one for name, one in record_fields(staged.record).items()}
    return {"adds": staged.record.memory_id, "lock": staged.lock, "hides": staged.hides, **fields}


def staged_from(found: dict[str, Any]) -> StagedChange | None:
    """Read what ``staged_fields`` wrote; ``id`` is the call's."""
    if "deletes" in found:
        return StagedDelete(found["id"], found["deletes"])
    if "adds" in found:
        fields = {name.removeprefix("r_"): one for name, one in found.items() if name.startswith("r_")}
        return StagedAdd(found["id"], record_from(found["adds"], fields), found.get("lock"), found["hides"])
    return None


def usage_row(one: Usage) -> list[JsonValue]:
    """A model call's cost as JSON."""
    return [one.purpose, one.model, one.tokens, one.output, one.outcome, one.calls]


def drop_item(attempt: AttemptId, drop: Drop) -> Item:
    """What left a context."""
    fields: dict[str, Plain | None] = {
        "id": drop.append_id,
        "sequence": drop.sequence,
        "helper": drop.helper,
        "dropped": dropped_text(drop.dropped),
    }
    return item(keys.transcript(attempt), keys.drop(drop.append_id, drop.sequence), fields)


def drop_from(found: dict[str, Any]) -> Drop:
    """Read a drop."""
    return Drop(found["id"], found["sequence"], found.get("helper"), dropped_from(found["dropped"]) or ())


def dropped_text(dropped: Dropped | None) -> str | None:
    """``all``, or execution ids, as one text."""
    return None if dropped is None else dropped if isinstance(dropped, str) else " ".join(dropped)


def dropped_from(text: str | None) -> Dropped | None:
    """Read what ``dropped_text`` wrote."""
    return None if text is None else "all" if text == "all" else tuple(text.split())


def listed_item(execution: Execution, session_id: str, listed: Sequence[Listed]) -> Item:
    """The recalls that a session's turns of one mode still have in context."""
    rows = [[one.execution_id, one.versions] for one in listed]
    pk, sk = keys.session(execution.action_id, session_id), keys.listed(preview=execution.preview)
    return item(pk, sk, {"recalls": squeeze(to_json(rows))})


def listed_from(found: dict[str, Any]) -> tuple[Listed, ...]:
    """Read them."""
    rows = json.loads(unsqueeze(found["recalls"]))
    return tuple(Listed(execution_id, versions_from(versions)) for execution_id, versions in rows)
