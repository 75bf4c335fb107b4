"""The events that a runtime appends, as methods (SPEC §10)."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from pydantic import JsonValue

from memoir.client._transport import build
from memoir.domain.events import AppendedEvent, ReplyEvent, ToolCall, ToolErrorEvent, ToolResultEvent
from memoir.protocol import AppendEventsResult


class Transcript(ABC):
    """The usual events over ``append``."""

    @abstractmethod
    def append(self, *events: AppendedEvent, append_id: str | None = None) -> AppendEventsResult:
        """Append events in order."""

    def reply(
        self, text: str = "", *, tool_calls: Sequence[ToolCall] = (), helper: str | None = None
    ) -> AppendEventsResult:
        """Append what the model answered, with the tools it called."""
        fields = {"type": "reply", "text": text, "tool_calls": tuple(tool_calls) or None, "helper": helper}
        return self.append(build(ReplyEvent, fields))

    def tool_result(
        self, call_id: str, name: str, output: JsonValue, *, helper: str | None = None
    ) -> AppendEventsResult:
        """Append the result of one of the agent's own tools."""
        fields = {"type": "tool_result", "call_id": call_id, "name": name, "helper": helper}
        return self.append(build(ToolResultEvent, fields, output=output))

    def tool_error(self, call_id: str, name: str, error: JsonValue, *, helper: str | None = None) -> AppendEventsResult:
        """Append the error of one of the agent's own tools."""
        fields = {"type": "tool_error", "call_id": call_id, "name": name, "helper": helper}
        return self.append(build(ToolErrorEvent, fields, error=error))
