"""Executions, attempts and sessions as items, and back."""

import json
from collections.abc import Sequence
from typing import Any

from memoir.adapters.dynamodb import keys
from memoir.adapters.dynamodb.values import Item, Plain, item, to_json, unsqueeze
from memoir.domain.pending import Pending
from memoir.domain.turn import (
    Attempt,
    AttemptId,
    AttemptStatus,
    Execution,
    Place,
    Session,
)


def execution_item(one: Execution) -> Item:
    """An execution."""
    fields: dict[str, Plain | None] = {
        "agent": one.action_id,
        "action_version": one.action_version,
        "session": one.session_id,
        "turn": one.turn,
        "principal": one.principal,
        "started_by": one.started_by,
        "created": one.created,
        "invocation": one.invocation,
        "fingerprint": one.fingerprint,
        "time": one.time,
        "preview": one.preview,
    }
    return item(keys.execution(one.execution_id), keys.EXECUTION, fields)


def execution_from(found: dict[str, Any]) -> Execution:
    """Read an execution."""
    return Execution(
        execution_id=found["pk"].removeprefix("X#"),
        action_id=found["agent"],
        action_version=found["action_version"],
        session_id=found.get("session"),
        turn=found.get("turn"),
        principal=found["principal"],
        started_by=found.get("started_by"),
        created=found["created"],
        invocation=found["invocation"],
        fingerprint=found["fingerprint"],
        time=found.get("time"),
        preview=found["preview"],
    )


def attempt_item(one: Attempt) -> Item:
    """A new attempt."""
    fields: dict[str, Plain | None] = {
        "status": one.status.value,
        "next": one.next_sequence,
        "last_call": one.last_call,
        "created": one.created,
        "as_of": one.as_of,
        "previous": attempts_text(one.previous),
        "fingerprint": one.fingerprint,
        "pinned": to_json(one.pinned) if one.pinned else None,
        "pending": one.pending,
    }
    return item(keys.execution(one.id.execution_id), keys.attempt(one.id.number), fields)


def attempt_from(found: dict[str, Any]) -> Attempt:
    """Read an attempt."""
    return Attempt(
        id=AttemptId(found["pk"].removeprefix("X#"), int(found["sk"].removeprefix("I#"))),
        status=AttemptStatus(found["status"]),
        next_sequence=found["next"],
        last_call=found["last_call"],
        created=found["created"],
        as_of=found["as_of"],
        previous=attempts_from(found["previous"]),
        fingerprint=found["fingerprint"],
        pinned=versions_from(json.loads(found["pinned"])) if "pinned" in found else (),
        pending=found["pending"],
        outcome=json.loads(unsqueeze(found["outcome"])) if "outcome" in found else None,
        reason=found.get("reason"),
    )


def session_item(one: Session) -> Item:
    """A session."""
    fields: dict[str, Plain | None] = {
        "agent": one.action_id,
        "session": one.session_id,
        "next_turn": one.next_turn,
        "commits": one.commits,
        "created": one.created,
        "last_commit": one.last_commit,
        "previous": attempts_text(one.live.previous),
        "preview_previous": attempts_text(one.preview.previous),
        **{holder_name(preview=mode): holder_text(one, preview=mode) for mode in (False, True)},
        **{pending_name(preview=mode): pending_text(one.place(preview=mode).pending) for mode in (False, True)},
    }
    return item(keys.session(one.action_id, one.session_id), keys.SESSION, fields)


def session_from(found: dict[str, Any]) -> Session:
    """Read a session."""
    return Session(
        action_id=found["agent"],
        session_id=found["session"],
        next_turn=found["next_turn"],
        commits=found["commits"],
        created=found["created"],
        last_commit=found["last_commit"],
        live=Place(_holder(found, preview=False), attempts_from(found["previous"]), _pending(found, preview=False)),
        preview=Place(
            _holder(found, preview=True), attempts_from(found["preview_previous"]), _pending(found, preview=True)
        ),
    )


def pending_name(*, preview: bool) -> str:
    """Attribute of a session that holds what waits for a review."""
    return "preview_pending" if preview else "pending"


def pending_text(one: Pending) -> str:
    """What waits for a review, as one text."""
    return to_json([one.turns, one.after, one.messages, one.failures])


def pending_from(text: str) -> Pending:
    """Read it."""
    turns, after, messages, failures = json.loads(text)
    return Pending(tuple(turns), after, messages, failures)


def _pending(found: dict[str, Any], *, preview: bool) -> Pending:
    return pending_from(found[pending_name(preview=preview)])


def holder_name(*, preview: bool) -> str:
    """Attribute of a session that names the attempt which holds it."""
    return "preview_holder" if preview else "holder"


def holder_text(session: Session, *, preview: bool) -> str | None:
    """The attempt that holds the session, as one text."""
    opened = session.place(preview=preview).open
    return attempt_text(opened) if opened else None


def _holder(found: dict[str, Any], *, preview: bool) -> AttemptId | None:
    name = holder_name(preview=preview)
    return attempts_from(found[name])[0] if name in found else None


def attempt_text(one: AttemptId) -> str:
    """An attempt's id as one text."""
    return f"{one.execution_id}#{one.number}"


def attempts_text(several: Sequence[AttemptId]) -> str:
    """Attempts' ids as one text."""
    return " ".join(map(attempt_text, several))


def attempts_from(text: str) -> tuple[AttemptId, ...]:
    """Read what ``attempts_text`` wrote."""
    parts = (one.split("#") for one in text.split())
    return tuple(AttemptId(execution_id, int(number)) for execution_id, number in parts)


def versions_from(rows: Sequence[Sequence[Any]]) -> tuple[tuple[str, int], ...]:
    """Record versions from JSON."""
    return tuple((str(one), int(version)) for one, version in rows)
