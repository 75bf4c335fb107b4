"""The native tools as a configuration offers them, and their inputs (page "Agent memory"; SPEC §6)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field, ValidationError

from memoir.domain.config import MemoryConfig, MemoryTool, ScopeName
from memoir.domain.errors import ToolRefused
from memoir.domain.faults import describe_faults, faults_of
from memoir.domain.model import DocumentModel

MAX_LIMIT = 50
DEFAULT_LIMIT = 10
MAX_IDS = 50
MAX_QUERY_CHARACTERS = 100_000
"""A query may be a long log; more than this is refused."""


class ToolName(StrEnum):
    """The five native tools."""

    ADD_MEMORY = "add_memory"
    READ_MEMORY = "read_memory"
    DELETE_MEMORY = "delete_memory"
    SEARCH_MEMORY = "search_memory"
    SEARCH_HISTORY = "search_history"


WRITES = frozenset({ToolName.ADD_MEMORY, ToolName.DELETE_MEMORY})
"""What a helper may never call."""

Labels = dict[str, str]


class AddMemory(DocumentModel):
    """Input of ``add_memory``."""

    summary: str
    kind: str
    content: str | None = None
    labels: Labels | None = None
    scope: Literal["session", "agent"] | None = None
    pinned: bool | None = None
    replaces: str | None = None


class OneMemory(DocumentModel):
    """Input of ``read_memory`` and ``delete_memory``."""

    id: str


class SearchMemory(DocumentModel):
    """Input of ``search_memory``; ``explain`` is for runtimes and not offered to the model."""

    query: str | None = None
    kind: str | None = None
    labels: Labels | None = None
    ids: Annotated[tuple[str, ...], Field(min_length=1, max_length=MAX_IDS)] | None = None
    limit: Annotated[int, Field(ge=1, le=MAX_LIMIT)] | None = None
    after: str | None = None
    explain: bool = False


Input = TypeVar("Input", bound=DocumentModel)


def parse_input(model: type[Input], document: str) -> Input:
    """Check a tool's input.

    Args:
        model: The tool's input.
        document: The input as JSON.

    Raises:
        ToolRefused: It breaks the tool's schema; one line a fault, for the agent.
    """
    try:
        return model.model_validate_json(document)
    except ValidationError as exc:
        raise ToolRefused(describe_faults(faults_of(exc, prefix="input"))) from exc


@dataclass(frozen=True, slots=True)
class Offer:
    """A tool, described for the model."""

    name: ToolName
    description: str
    schema: dict[str, Any]


def offered(memory: MemoryConfig) -> tuple[Offer, ...]:
    """The tools that the configuration offers, ``search_memory`` first."""
    if not memory.enabled:
        return ()
    offers = [_search(memory)]
    makers = {MemoryTool.ADD: _add, MemoryTool.READ: _read, MemoryTool.DELETE: _delete}
    offers += [make(memory) for tool, make in makers.items() if tool in memory.tools]
    return tuple(offers)


def check_offered(name: ToolName, memory: MemoryConfig, helper: bool) -> None:
    """Refuse a call that the configuration does not allow.

    Raises:
        ToolRefused: With what the agent can do instead.
    """
    if helper and name in WRITES:
        raise ToolRefused(f"{name} is not for helpers: only the agent itself changes memory, a helper may search it")
    names = [offer.name for offer in offered(memory)]
    if name not in names:
        what = f"this agent offers {', '.join(names)}" if names else "this agent has no memory"
        raise ToolRefused(f"{name} is not offered: {what}")


def label_numbers(labels: Mapping[str, str] | None, memory: MemoryConfig) -> tuple[tuple[int, str], ...]:
    """Label values by number, in number order.

    Raises:
        ToolRefused: A label is not declared.
    """
    for name in labels or {}:
        if name not in memory.labels:
            declared = ", ".join(memory.labels) or "none"
            raise ToolRefused(f"label {name[:64]!r} is not declared; declared labels: {declared}")
    return tuple(sorted((memory.labels[name].number, value) for name, value in (labels or {}).items()))


def check_kind(kind: str | None, memory: MemoryConfig) -> None:
    """Refuse a kind that is not declared.

    Raises:
        ToolRefused: With the kinds there are.
    """
    if kind is not None and kind not in memory.kinds:
        raise ToolRefused(f"kind {kind[:64]!r} is not declared; use one of: {', '.join(memory.kinds)}")


def _object(properties: dict[str, Any], required: Sequence[str] = ()) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def _filters(memory: MemoryConfig) -> dict[str, Any]:
    filters: dict[str, Any] = {"kind": {"type": "string", "enum": list(memory.kinds)}}
    if memory.labels:
        names = {name: {"type": "string", "description": label.description} for name, label in memory.labels.items()}
        filters["labels"] = _object(names) | {"description": "Exact label values."}
    return filters


def _search(memory: MemoryConfig) -> Offer:
    properties = {
        "query": {"type": "string", "description": "What to look for. Leave it out to list records, newest first."},
        **_filters(memory),
        "ids": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": MAX_IDS,
                "description": "Read these records by id instead."},
        "limit": {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT},
        "after": {"type": "string", "description": "The value of next of the page before; only without query."},
    }  # fmt: skip
    description = "Search your memory by meaning and words, list it newest first, or read records by id."
    return Offer(ToolName.SEARCH_MEMORY, description, _object(properties))


def _add(memory: MemoryConfig) -> Offer:
    properties: dict[str, Any] = {
        "summary": {"type": "string", "description": "The fact in one line of at most 512 bytes."},
        "content": {"type": "string", "description": "Evidence and specifics, at most 16 KiB."},
        **_filters(memory),
    }
    if ScopeName.AGENT in memory.writes:
        properties["scope"] = {
            "type": "string",
            "enum": sorted(memory.writes),
            "description": "session: only this session recalls it. agent: every session does.",
        }
    if memory.pinned is not None:
        properties["pinned"] = {
            "type": "boolean",
            "description": "List it in every turn's instructions; only for what is needed every time.",
        }
    properties["replaces"] = {"type": "string", "description": "Id of the record that this one corrects."}
    return Offer(
        ToolName.ADD_MEMORY,
        "Save a fact worth remembering beyond this turn. To correct a record, name it in replaces.",
        _object(properties, ("summary", "kind")),
    )


def _read(_: MemoryConfig) -> Offer:
    return _by_id(ToolName.READ_MEMORY, "Read one memory record by its id, whatever its status.")


def _delete(_: MemoryConfig) -> Offer:
    return _by_id(ToolName.DELETE_MEMORY, "Delete one memory record that is wrong or not wanted any more.")


def _by_id(name: ToolName, description: str) -> Offer:
    return Offer(name, description, _object({"id": {"type": "string"}}, ("id",)))


def query_fault(field: str, text: str) -> str:
    """Why a query is too long."""
    return (
        f"{field} has {len(text)} characters; at most {MAX_QUERY_CHARACTERS} are searched: pass the part that matters"
    )
