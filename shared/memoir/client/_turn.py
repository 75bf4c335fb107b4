"""A turn as a ``with`` block: begun on entering, committed on success, rolled back when the block raises (SPEC §4)."""

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Literal, Self

from pydantic import JsonValue
from uuid6 import uuid7

from memoir.client._errors import MemoirCallError, MemoirClientError
from memoir.client._events import Transcript
from memoir.client._tools import MemoryTools, ToolResult
from memoir.client._transport import R, Transport, build
from memoir.domain.errors import ErrorCode
from memoir.domain.events import AppendedEvent
from memoir.domain.model import Model
from memoir.protocol import (
    AppendEvents,
    AppendEventsResult,
    BeginTurn,
    BeginTurnResult,
    CallTool,
    CommitTurn,
    CommitTurnResult,
    DescribeTurn,
    DescribeTurnResult,
    Helper,
    Recall,
    RecallResult,
    RollbackTurn,
    RollbackTurnResult,
    Tool,
)

_OVER = frozenset({ErrorCode.TURN_ENDED, ErrorCode.TURN_ABANDONED, ErrorCode.CONFLICT})


class Turn(MemoryTools, Transcript):
    """One attempt at a turn; made by ``Memoir.turn``.

    Entering the block begins it. Leaving it commits, unless ``commit()`` or ``rollback()`` came before; an exception
    rolls it back and goes on, also when rolling back fails (then with a note).

    Attributes:
        result: What the commit did; ``None`` before.
    """

    def __init__(self, transport: Transport, request: BeginTurn) -> None:
        self._transport = transport
        self._request = request
        self._begun: BeginTurnResult | None = None
        self._undoable = True  # False: the attempt is over, or its commit got no answer and may have happened
        self._settled = False  # commit() or rollback() was answered: leaving the block does nothing more
        self._unconfirmed: dict[str, AppendEvents] = {}
        self.result: CommitTurnResult | None = None

    @property
    def execution_id(self) -> str:
        """The turn's execution."""
        return self._request.execution_id

    @property
    def invocation_number(self) -> int:
        """Which attempt this is, from 1."""
        return self._request.invocation_number

    @property
    def number(self) -> int | None:
        """The turn's number in its session; ``None`` without sessions."""
        return self._beginning.turn

    @property
    def version(self) -> int:
        """The agent's version of this turn."""
        return self._beginning.version

    @property
    def instructions(self) -> str:
        """What memoir adds to the model's instructions."""
        return self._beginning.instructions

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The native tools to offer to the model."""
        return self._beginning.tools

    @property
    def execution_token(self) -> str:
        """What a tool passes on when it reaches the API on the agent's behalf."""
        return self._beginning.execution_token

    @property
    def _beginning(self) -> BeginTurnResult:
        if self._begun is None:
            raise RuntimeError("the turn has not begun: use it in a with block")
        return self._begun

    def __enter__(self) -> Self:
        self._begun = self._call(self._request, BeginTurnResult)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._settled:
            return
        if error is not None:
            self._undo(error)
            return
        try:
            self.commit()
        except MemoirClientError as failure:
            self._undo(failure)
            raise

    def retry(self) -> "Turn":
        """The next invocation of the same execution: it starts from nothing and abandons this one."""
        update = {"invocation_number": self.invocation_number + 1}
        return Turn(self._transport, self._request.model_copy(update=update))

    def recall(
        self,
        text: str | None = None,
        *,
        helper: Helper | str | None = None,
        dropped: Literal["all"] | Sequence[str] | None = None,
        recall_id: str | None = None,
    ) -> RecallResult:
        """The records that best match the current work; call it before each model call.

        Args:
            text: The query; by default the conversation's last messages.
            helper: The helper that recalls.
            dropped: Recalls that left the context since: their execution ids, or ``"all"``.
            recall_id: Unique in the attempt; made here by default.
        """
        fields = {
            "recall_id": recall_id or str(uuid7()),
            "text": text,
            "helper": helper,
            "dropped": dropped if dropped is None or dropped == "all" else tuple(dropped),
        }
        return self._call(build(Recall, self._fields("recall", fields)), RecallResult)

    def call_tool(
        self,
        name: str,
        arguments: Mapping[str, JsonValue],
        *,
        call_id: str | None = None,
        helper: Helper | str | None = None,
    ) -> ToolResult:
        """Call a native tool, as the model asked for it; a failed call is an answer with status ``FAILED``.

        Args:
            name: One of ``tools``.
            arguments: As the model gave them.
            call_id: The model's id of the call; made here by default.
            helper: The helper that calls it.
        """
        fields = {
            "call_id": call_id or str(uuid7()),
            "name": name,
            "input": dict(arguments),
            "helper": Helper(id=helper) if isinstance(helper, str) else helper,
        }
        return self._call(build(CallTool, self._fields("callTool", fields)), ToolResult)

    def append(self, *events: AppendedEvent, append_id: str | None = None) -> AppendEventsResult:
        """Append events to the transcript, in order.

        When the answer was lost for good, the commit sends them again under their id: do not append them twice.
        """
        fields = {"append_id": append_id or str(uuid7()), "events": events}
        request = build(AppendEvents, self._fields("appendEvents", fields))
        self._unconfirmed[request.append_id] = request
        return self._send_append(request)

    def commit(self) -> CommitTurnResult:
        """Commit everything in one step; a repeated call gives the same answer.

        Raises:
            MemoirCallError: ``CONFLICT``: another turn changed a record first, and this attempt is rolled back.
        """
        for request in list(self._unconfirmed.values()):
            self._send_append(request)
        self.result = self._end(build(CommitTurn, self._fields("commitTurn")), CommitTurnResult)
        return self.result

    def rollback(self, reason: str | None = None) -> RollbackTurnResult:
        """End the attempt and keep nothing but its transcript.

        Args:
            reason: For operators; no texts of messages or memories.
        """
        return self._end(build(RollbackTurn, self._fields("rollbackTurn", {"reason": reason})), RollbackTurnResult)

    def describe(self) -> DescribeTurnResult:
        """The state of this attempt."""
        return self._call(build(DescribeTurn, self._fields("describeTurn")), DescribeTurnResult)

    def _undo(self, error: BaseException) -> None:
        if not self._undoable:
            return
        try:
            # NOTE: the type only: an exception's text may hold what the user said.
            fields = self._fields("rollbackTurn", {"reason": type(error).__name__})
            # An interrupt wants the program to end: one try, no waiting.
            patient = isinstance(error, Exception)
            self._transport.call(build(RollbackTurn, fields), RollbackTurnResult, patient=patient)
        except Exception as second:  # noqa: BLE001 - nothing that fails here may hide the caller's own error
            error.add_note(f"rolling the turn back failed too: {second}; the session is free again after 15 minutes")

    def _send_append(self, request: AppendEvents) -> AppendEventsResult:
        try:
            result = self._call(request, AppendEventsResult)
        except MemoirCallError as refusal:
            if not refusal.retriable:
                del self._unconfirmed[request.append_id]
            raise
        del self._unconfirmed[request.append_id]
        return result

    def _fields(self, operation: str, fields: Mapping[str, object] | None = None) -> dict[str, object]:
        turn = {"execution_id": self.execution_id, "invocation_number": self.invocation_number}
        return {"operation": operation, **turn, **(fields or {})}

    def _end(self, request: Model, result: type[R]) -> R:
        try:
            ended = self._call(request, result)
        except MemoirCallError:
            self._settled = not self._undoable
            raise
        except MemoirClientError as unknown:
            self._undoable = False
            unknown.add_note("whether it happened is not known: the same call again gives its answer")
            raise
        self._undoable, self._settled = False, True
        return ended

    def _call(self, request: Model, result: type[R]) -> R:
        try:
            return self._transport.call(request, result)
        except MemoirCallError as refusal:
            self._undoable = self._undoable and refusal.code not in _OVER
            raise
