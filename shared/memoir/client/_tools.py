"""The native tools as methods, and what a call of one gives back (page "Agent memory"; SPEC §6)."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, JsonValue, TypeAdapter
from pydantic.alias_generators import to_camel

from memoir.client._errors import ToolCallFailed
from memoir.domain.record import Status
from memoir.domain.turn import CallStatus
from memoir.protocol import CallToolResult, Helper, LabelEntry

ScopeChoice = Literal["session", "agent"]


class ToolRecord(BaseModel):
    """A record in a tool's output: its id, version and status always, the rest as the tool gives it."""

    model_config = ConfigDict(frozen=True, alias_generator=to_camel, validate_by_name=True, validate_by_alias=True)

    memory_id: str
    version: int
    status: Status
    scope: str | None = None
    kind: str | None = None
    summary: str | None = None
    content: str | None = None
    labels: tuple[LabelEntry, ...] = ()
    created: str | None = None
    replaces: str | None = None
    replaced_by: str | None = None


_RECORDS = TypeAdapter(tuple[ToolRecord, ...])


class _Why(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel)

    memory_id: str
    found_by: tuple[str, ...]


class _Explained(BaseModel):
    results: tuple[_Why, ...] = ()


class ToolResult(CallToolResult):
    """A native tool's call: ``text`` is for the model, ``output`` for programs.

    A call that fails is an answer that the model reads, so it raises nothing by itself.
    """

    @property
    def ok(self) -> bool:
        """Whether the call completed."""
        return self.status is CallStatus.COMPLETED

    @property
    def memories(self) -> tuple[ToolRecord, ...]:
        """Records that the call wrote or deleted."""
        return self._records("memories")

    @property
    def sources(self) -> tuple[ToolRecord, ...]:
        """Records that the call read or found, best first."""
        return self._records("sources")

    @property
    def missing(self) -> tuple[str, ...]:
        """Ids that the call cannot see, for whatever reason."""
        missing = self.output.get("missing")
        return tuple(str(name) for name in missing) if isinstance(missing, list) else ()

    @property
    def skipped(self) -> bool:
        """Whether ``add_memory`` found the fact saved already: ``memories`` holds the record there is."""
        return self.output.get("skipped") is True

    @property
    def next(self) -> str | None:
        """The cursor of the next page, for ``after``."""
        cursor = self.output.get("next")
        return cursor if isinstance(cursor, str) else None

    @property
    def found_by(self) -> dict[str, tuple[str, ...]]:
        """What found each record (``words``, ``meaning``, ``code``), by id, of a search with ``explain``."""
        explained = _Explained.model_validate(self.output.get("explain") or {})
        return {one.memory_id: one.found_by for one in explained.results}

    def raise_for_status(self) -> Self:
        """Itself, for chaining.

        Raises:
            ToolCallFailed: The call failed.
        """
        if not self.ok:
            raise ToolCallFailed(self.text)
        return self

    def _records(self, name: str) -> tuple[ToolRecord, ...]:
        return _RECORDS.validate_python(self.output.get(name) or ())


class MemoryTools(ABC):
    """The native tools over ``call_tool``; every argument left out is left to memoir."""

    @abstractmethod
    def call_tool(
        self,
        name: str,
        arguments: Mapping[str, JsonValue],
        *,
        call_id: str | None = None,
        helper: Helper | str | None = None,
    ) -> ToolResult:
        """Call a tool by name."""

    def search(
        self,
        query: str | None = None,
        *,
        kind: str | None = None,
        labels: Mapping[str, str] | None = None,
        ids: Sequence[str] | None = None,
        limit: int | None = None,
        after: str | None = None,
        explain: bool = False,
        call_id: str | None = None,
        helper: Helper | str | None = None,
    ) -> ToolResult:
        """Search memory by a query; without one list it newest first; with ``ids`` read records.

        ``explain`` adds to the output why each record was found or dropped; it is not for the model.
        """
        arguments: dict[str, JsonValue] = {
            "query": query,
            "kind": kind,
            "labels": None if labels is None else dict(labels),
            "ids": None if ids is None else list(ids),
            "limit": limit,
            "after": after,
            "explain": explain or None,
        }
        return self.call_tool("search_memory", _given(arguments), call_id=call_id, helper=helper)

    def add_memory(
        self,
        summary: str,
        *,
        kind: str,
        content: str | None = None,
        labels: Mapping[str, str] | None = None,
        scope: ScopeChoice | None = None,
        pinned: bool | None = None,
        replaces: str | None = None,
        call_id: str | None = None,
    ) -> ToolResult:
        """Save a record when the turn commits; ``replaces`` names the record that it corrects.

        With ``pinned`` every later turn's instructions list it, where the configuration has a budget for pins.
        """
        arguments: dict[str, JsonValue] = {
            "summary": summary,
            "content": content,
            "kind": kind,
            "labels": None if labels is None else dict(labels),
            "scope": scope,
            "pinned": pinned,
            "replaces": replaces,
        }
        return self.call_tool("add_memory", _given(arguments), call_id=call_id)

    def read_memory(
        self, memory_id: str, *, call_id: str | None = None, helper: Helper | str | None = None
    ) -> ToolResult:
        """Read one record, whatever its status."""
        return self.call_tool("read_memory", {"id": memory_id}, call_id=call_id, helper=helper)

    def delete_memory(self, memory_id: str, *, call_id: str | None = None) -> ToolResult:
        """Delete one record when the turn commits."""
        return self.call_tool("delete_memory", {"id": memory_id}, call_id=call_id)


def _given(arguments: dict[str, JsonValue]) -> dict[str, JsonValue]:
    return {name: value for name, value in arguments.items() if value is not None}
