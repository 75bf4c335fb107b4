"""Every request of the turn protocol as a typed model (SPEC §4).

A request is ``{"operation": ..., ...}``; a reply is ``{"result": {...}}`` or ``{"error": {...}}``. Names are camelCase
on the wire. ``E`` of the specification is ``executionId`` with ``invocationNumber``.
"""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, JsonValue, WithJsonSchema

from memoir.domain.events import AppendedEvent
from memoir.domain.model import CallerId, ExecutionIds, Model, SessionId, Uuid, Version

MAX_REQUEST_BYTES = 5_000_000
"""UTF-8 bytes of one request as JSON (SPEC §4)."""
MAX_APPENDED = 10_000

JsonObject = dict[str, JsonValue]


def _instant(text: str) -> str:
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        parsed = None
    if parsed is None or parsed.tzinfo is None or "T" not in text.upper():
        raise ValueError("must be an RFC 3339 time with its offset, such as 2026-12-01T09:30:00+08:00")
    return text


def _message(value: str | list[JsonObject]) -> str | list[JsonObject]:
    if not value:
        raise ValueError("must hold text or at least one content block")
    return value


Instant = Annotated[str, AfterValidator(_instant), WithJsonSchema({"type": "string", "format": "date-time"})]
Message = Annotated[str | list[JsonObject], AfterValidator(_message)]
Principal = CallerId


class Helper(Model):
    """A subagent, or a program run by ``programmatic_tool_caller``: it may search, never write."""

    id: CallerId
    kind: CallerId = "subagent"


class RegisterAgent(Model):
    """Register a version of an agent; the same content as the latest returns it."""

    operation: Literal["registerAgent"]
    action_id: Uuid
    name: CallerId
    principal: Principal | None = None
    harness: JsonObject
    policies: tuple[JsonObject, ...] | None = None
    request_id: CallerId | None = None


class BeginTurn(Model):
    """Begin an attempt at a turn."""

    operation: Literal["beginTurn"]
    action_id: Uuid
    version: Version | None = None
    session_id: SessionId | None = None
    execution_id: Uuid
    invocation_number: Version
    principal: Principal
    started_by: Uuid | None = None
    preview: bool = False
    replay_of: Uuid | None = None
    time: Instant | None = None
    message: Message


class AttemptRequest(Model):
    """What every call inside a turn names."""

    execution_id: Uuid
    invocation_number: Version


class Recall(AttemptRequest):
    """Recall the records that best match the current work."""

    operation: Literal["recall"]
    recall_id: CallerId
    text: str | None = None
    helper: Helper | CallerId | None = None
    dropped: ExecutionIds | None = None

    @property
    def helper_id(self) -> str | None:
        """The helper's id in either form, or ``None`` for the agent itself."""
        return self.helper.id if isinstance(self.helper, Helper) else self.helper


class CallTool(AttemptRequest):
    """Call one of the native tools."""

    operation: Literal["callTool"]
    call_id: CallerId
    name: Annotated[str, Field(min_length=1)]
    input: JsonObject
    helper: Helper | None = None


class AppendEvents(AttemptRequest):
    """Append events to the transcript, in order."""

    operation: Literal["appendEvents"]
    append_id: CallerId
    events: Annotated[tuple[AppendedEvent, ...], Field(min_length=1, max_length=MAX_APPENDED)]


class CommitTurn(AttemptRequest):
    """Commit everything of the attempt in one step."""

    operation: Literal["commitTurn"]


class RollbackTurn(AttemptRequest):
    """End the attempt without keeping anything but its transcript."""

    operation: Literal["rollbackTurn"]
    reason: Annotated[str, Field(max_length=2048)] | None = None


class DescribeTurn(Model):
    """Describe an attempt, or a session's open turn."""

    operation: Literal["describeTurn"]
    execution_id: Uuid | None = None
    invocation_number: Version | None = None
    action_id: Uuid | None = None
    session_id: SessionId | None = None


Request = Annotated[
    RegisterAgent | BeginTurn | Recall | CallTool | AppendEvents | CommitTurn | RollbackTurn | DescribeTurn,
    Field(discriminator="operation"),
]
OPERATIONS = (
    "registerAgent",
    "beginTurn",
    "recall",
    "callTool",
    "appendEvents",
    "commitTurn",
    "rollbackTurn",
    "describeTurn",
)
"""Every operation, in the order in which a turn uses them."""
