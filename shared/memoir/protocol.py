"""The turn protocol on the wire: every request and every reply as a typed model (SPEC §4).

A request is ``{"operation": ..., ...}``; a reply is ``{"result": {...}}`` or ``{"error": {...}}``. Names are camelCase
on the wire. ``E`` of the specification is ``executionId`` with ``invocationNumber``.
"""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, JsonValue, WithJsonSchema

from memoir.domain.errors import ErrorCode
from memoir.domain.events import AppendedEvent
from memoir.domain.model import CallerId, ExecutionIds, Model, SessionId, Uuid, Version
from memoir.domain.turn import AttemptStatus, CallStatus

MAX_REQUEST_BYTES = 5_000_000
"""UTF-8 bytes of one request as JSON (SPEC §4)."""
MAX_REPLY_BYTES = 3_500_000
"""UTF-8 bytes of one reply as JSON (SPEC §4)."""
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


def _absent(value: object) -> bool:
    return value is None


Absent = Field(default=None, exclude_if=_absent)
"""A field of a reply that is left out when there is nothing to say."""


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


class Tool(Model):
    """A native tool as this configuration offers it to the model."""

    name: str
    description: str
    input_schema: dict[str, Any]


class LabelEntry(Model):
    """One label value of a record."""

    name: str | None
    number: int
    value: str


class RecordEntry(Model):
    """A record as a reply shows it; ``created`` is null while its turn is not committed."""

    memory_id: str
    version: int
    status: str
    scope: str
    kind: str
    summary: str
    content: str
    labels: tuple[LabelEntry, ...]
    pinned: bool
    source: str
    created: str | None
    modified: str | None
    replaces: str | None
    replaced_by: str | None
    preview: bool


class RecordChange(Model):
    """A record that a commit wrote, replaced or deleted."""

    memory_id: str
    version: int
    status: str
    scope: str
    kind: str
    summary: str
    replaces: str | None = None
    replaced_by: str | None = None


class SkippedAdd(Model):
    """An add whose fact another turn had written first: ``memory_id`` as given, ``existing_id`` as it is."""

    call_id: str
    memory_id: str
    existing_id: str


class Usage(Model):
    """Model calls of one purpose and model, added up."""

    purpose: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int = 0
    outcome: str = "ok"


class Degraded(Model):
    """What was missing while searching; ``searched`` records were ranked all the same."""

    missing: tuple[Literal["index", "embedder"], ...]
    searched: int
    message: str


class RegisterAgentResult(Model):
    """The registered version."""

    action_id: str
    version: int
    principal: str


class BeginTurnResult(Model):
    """What the runtime needs to run the turn; ``turn`` is null without sessions."""

    turn: int | None
    version: int
    instructions: str
    tools: tuple[Tool, ...]
    execution_token: str


class RecallResult(Model):
    """A recall: the block for the model, and whether it was recorded as an execution."""

    block: str
    records: tuple[RecordEntry, ...]
    recorded: bool
    execution_id: str | None = Absent
    degraded: Degraded | None = Absent
    behind: bool | None = Absent
    remaining: tuple[str, ...] | None = Absent


class CallToolResult(Model):
    """A tool call: its output for programs and its text for the model."""

    status: CallStatus
    output: JsonObject
    text: str
    execution_id: str


class AppendEventsResult(Model):
    """The sequences that the events got."""

    first: int
    last: int


class CommitTurnResult(Model):
    """What the commit did."""

    written: tuple[RecordChange, ...] = ()
    replaced: tuple[RecordChange, ...] = ()
    deleted: tuple[RecordChange, ...] = ()
    skipped: tuple[SkippedAdd, ...] = ()
    review: JsonObject | None = None
    usage: tuple[Usage, ...] = ()


class RollbackTurnResult(Model):
    """The attempt is rolled back."""

    status: AttemptStatus


class StagedWrite(Model):
    """A change of memory that waits for the commit."""

    call_id: str
    tool: str
    memory_id: str
    replaces: str | None = None
    summary: str | None = None


class OutputUse(Model):
    """An execution whose output reached the model."""

    execution_id: str
    kind: Literal["RETRIEVED"]


class DescribeTurnResult(Model):
    """The state of an attempt."""

    action_id: str
    version: int
    session_id: str | None
    turn: int | None
    execution_id: str
    invocation_number: int
    status: AttemptStatus
    created: str
    last_call: str
    next_sequence: int
    staged: tuple[StagedWrite, ...]
    output_uses: tuple[OutputUse, ...]
    result: CommitTurnResult | None = None
    reason: str | None = None


class ErrorBody(Model):
    """Why a request was refused."""

    code: ErrorCode
    message: str
    retriable: bool
    path: str | None = Absent
