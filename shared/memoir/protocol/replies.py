"""Every reply of the turn protocol as a typed model (SPEC §4)."""

from typing import Any, Literal

from pydantic import Field, JsonValue

from memoir.domain.errors import ErrorCode
from memoir.domain.model import Model
from memoir.domain.turn import AttemptStatus, CallStatus

MAX_REPLY_BYTES = 3_500_000
"""UTF-8 bytes of one reply as JSON (SPEC §4)."""
JsonObject = dict[str, JsonValue]


def _absent(value: object) -> bool:
    return value is None


Absent = Field(default=None, exclude_if=_absent)
"""A field of a reply that is left out when there is nothing to say."""


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
