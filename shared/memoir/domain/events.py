"""Transcript events: the closed set of types and the forms that a runtime appends (SPEC §10).

A runtime appends ``message``, ``reply``, ``tool_result``, ``tool_error``, ``skill_load``, ``context``, ``system`` and
``helper``; memoir itself writes ``native``, ``recall``, ``memory.pinned``, ``usage`` and ``review``.
"""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from memoir.domain.model import CallerId, ExecutionIds, Model

MAX_EVENT_BYTES = 3_000_000
"""UTF-8 bytes of one event as JSON (SPEC §4)."""
MAX_EVENTS = 10_000
"""Events of one turn (SPEC §4)."""


class EventType(StrEnum):
    """Every type an event may have."""

    MESSAGE = "message"
    REPLY = "reply"
    TOOL_RESULT = "tool_result"
    TOOL_ERROR = "tool_error"
    SKILL_LOAD = "skill_load"
    CONTEXT = "context"
    SYSTEM = "system"
    HELPER = "helper"
    NATIVE = "native"
    RECALL = "recall"
    MEMORY_PINNED = "memory.pinned"
    USAGE = "usage"
    REVIEW = "review"


class ToolCall(Model):
    """A tool call that a reply makes."""

    call_id: CallerId
    name: Annotated[str, Field(min_length=1)]
    arguments: JsonValue = None


class _Appended(Model):
    """What every appended event may carry: the helper in whose conversation it stands."""

    helper: CallerId | None = None


class MessageEvent(_Appended):
    """A user's message after the first."""

    type: Literal["message"]
    text: str


class ReplyEvent(_Appended):
    """What the agent's model answered, with the tools it called."""

    type: Literal["reply"]
    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()


class ToolResultEvent(_Appended):
    """The result of one of the agent's own tools."""

    type: Literal["tool_result"]
    call_id: CallerId
    name: Annotated[str, Field(min_length=1)]
    output: JsonValue


class ToolErrorEvent(_Appended):
    """The error of one of the agent's own tools."""

    type: Literal["tool_error"]
    call_id: CallerId
    name: Annotated[str, Field(min_length=1)]
    error: JsonValue


class ContextEvent(_Appended):
    """The context was summarized or cleared: ``dropped`` names the recalls that left it, or ``"all"``."""

    type: Literal["context"]
    dropped: ExecutionIds
    text: str = ""


class TextEvent(_Appended):
    """A skill's text, a system text, or what a helper said."""

    type: Literal["skill_load", "system", "helper"]
    text: str


AppendedEvent = Annotated[
    MessageEvent | ReplyEvent | ToolResultEvent | ToolErrorEvent | ContextEvent | TextEvent,
    Field(discriminator="type"),
]
