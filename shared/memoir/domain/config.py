"""An agent's configuration and every rule of it (page "Agent memory"; SPEC §2).

``parse_harness`` refuses what is wrong with one fault per message and path; what is not built yet is refused as
``Unsupported`` with the field's name.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from pydantic import Field, JsonValue, ValidationError

from memoir.domain.errors import InvalidConfig, Unsupported
from memoir.domain.faults import Fault, describe_faults, faults_of
from memoir.domain.model import DocumentModel
from memoir.domain.ranking import SearchMode
from memoir.domain.text import byte_length

LABEL_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
LABEL_NUMBERS = range(5, 19)
MAX_RESULTS = 50
KIND_BYTES = 256
DEFAULT_KINDS = ("guidance", "fact", "event", "reference")


class ScopeName(StrEnum):
    """A scope as a configuration names it."""

    SESSION = "session"
    AGENT = "agent"


class MemoryTool(StrEnum):
    """The memory tools that a configuration may offer beside ``search_memory``."""

    ADD = "add_memory"
    READ = "read_memory"
    DELETE = "delete_memory"


class ScopeConfig(DocumentModel):
    """Which scopes the agent reads and writes."""

    read: tuple[ScopeName, ...] = (ScopeName.SESSION,)
    write: tuple[ScopeName, ...] = (ScopeName.SESSION,)


class LabelConfig(DocumentModel):
    """A label's fixed number and the description that the agent reads."""

    number: int
    description: str


class MessageCount(DocumentModel):
    """Review only once this many messages came since the last review."""

    messages: int


class ExtractionConfig(DocumentModel):
    """How the review works."""

    prompt: str | None = None
    every: Literal["turn"] | MessageCount = "turn"


class SearchConfig(DocumentModel):
    """How recall and search work; ``min_score`` ``None`` means the embedder's own."""

    mode: SearchMode = SearchMode.HYBRID
    max_results: int = 5
    min_score: float | None = None


class PinnedConfig(DocumentModel):
    """The budget of the pinned list."""

    max_tokens: int


class MemoryConfig(DocumentModel):
    """``harness.memory``."""

    enabled: bool = False
    scope: ScopeConfig = ScopeConfig()
    kinds: tuple[str, ...] = DEFAULT_KINDS
    labels: dict[str, LabelConfig] = Field(default_factory=dict)
    extraction: ExtractionConfig | None = None
    search: SearchConfig = SearchConfig()
    tools: tuple[MemoryTool, ...] = ()
    pinned: PinnedConfig | None = None

    @property
    def reads(self) -> frozenset[ScopeName]:
        """The scopes it reads."""
        return frozenset(self.scope.read)

    @property
    def writes(self) -> frozenset[ScopeName]:
        """The scopes it writes."""
        return frozenset(self.scope.write)

    def label_names(self) -> dict[int, str]:
        """Label names by number."""
        return {label.number: name for name, label in self.labels.items()}


class HistoryConfig(DocumentModel):
    """``harness.history``."""

    index: Literal["messages", "messages_and_tools"]


class Harness(DocumentModel):
    """The configuration of an agent."""

    sessions: bool = True
    memory: MemoryConfig = MemoryConfig()
    history: HistoryConfig | None = None


@dataclass(frozen=True, slots=True)
class AgentHead:
    """What is true of all versions of an agent.

    Attributes:
        latest: Number of its newest version.
        labels: Label numbers by name, of every version so far.
    """

    action_id: str
    latest: int
    labels: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class AgentVersion:
    """One immutable version of an agent.

    Attributes:
        harness: With the defaults of its day filled in.
        created: RFC 3339 UTC time of its registration.
    """

    action_id: str
    version: int
    name: str
    principal: str
    harness: Harness
    created: str

    @property
    def memory(self) -> MemoryConfig:
        """Its memory configuration."""
        return self.harness.memory

    def same_content(self, other: "AgentVersion") -> bool:
        """Whether both say the same, defaults filled in."""
        return (self.name, self.principal, self.harness) == (other.name, other.principal, other.harness)


def parse_harness(document: Mapping[str, JsonValue], declared: Mapping[str, int]) -> Harness:
    """Check a harness and return it with its defaults.

    Args:
        document: The harness as JSON.
        declared: Label numbers by name that earlier versions of this agent declared.

    Raises:
        InvalidConfig: It breaks rules; the message has one line a fault, each with its path.
        Unsupported: It asks for what is not built yet.
    """
    try:
        harness = Harness.model_validate_json(json.dumps(document))
    except ValidationError as exc:
        raise _invalid(faults_of(exc, prefix="harness")) from exc
    faults = list(_rules(harness, declared))
    if faults:
        raise _invalid(faults)
    _refuse_unbuilt(harness)
    return harness


def declared_labels(harness: Harness) -> dict[str, int]:
    """The label numbers by name that this configuration declares (none while memory is off)."""
    return {n: label.number for n, label in harness.memory.labels.items()} if harness.memory.enabled else {}


def _invalid(faults: list[Fault]) -> InvalidConfig:
    return InvalidConfig(describe_faults(faults), path=faults[0].path)


def _refuse_unbuilt(harness: Harness) -> None:
    asked = {
        "harness.history": harness.history,
    }
    for path, value in asked.items():
        if value is not None:
            raise Unsupported(f"{path} is not supported yet: leave it out", path=path)


def _rules(harness: Harness, declared: Mapping[str, int]) -> Iterator[Fault]:
    if harness.history is not None and not harness.sessions:
        yield Fault("harness.history", "needs sessions: leave it out or set harness.sessions to true")
    if not harness.memory.enabled:
        return
    yield from _scope_rules(harness)
    yield from _kind_rules(harness.memory.kinds)
    yield from _label_rules(harness.memory.labels, declared)
    yield from _search_rules(harness.memory.search)
    yield from _unique("harness.memory.tools", harness.memory.tools)
    extraction, pinned = harness.memory.extraction, harness.memory.pinned
    if extraction and isinstance(extraction.every, MessageCount) and extraction.every.messages < 1:
        yield Fault("harness.memory.extraction.every.messages", "must be 1 or more")
    if extraction and extraction.prompt is not None and not extraction.prompt.strip():
        yield Fault("harness.memory.extraction.prompt", "must not be empty: leave it out for the default")
    if pinned and pinned.max_tokens < 1:
        yield Fault("harness.memory.pinned.max_tokens", "must be 1 or more")


def _scope_rules(harness: Harness) -> Iterator[Fault]:
    scope = harness.memory.scope
    for name, value in (("read", scope.read), ("write", scope.write)):
        path = f"harness.memory.scope.{name}"
        if not harness.sessions and set(value) != {ScopeName.AGENT}:
            yield Fault(path, 'must be ["agent"], because harness.sessions is false and there is no session scope')
        elif not value:
            yield Fault(path, 'must name at least one of "session", "agent"')
        yield from _unique(path, value)


def _kind_rules(kinds: tuple[str, ...]) -> Iterator[Fault]:
    path = "harness.memory.kinds"
    if not kinds:
        yield Fault(path, "must name at least one kind")
    for position, kind in enumerate(kinds):
        if not kind.strip() or byte_length(kind) > KIND_BYTES or not kind.isprintable():
            yield Fault(f"{path}[{position}]", f"must be 1 to {KIND_BYTES} bytes of printable text")
    yield from _unique(path, kinds)


def _label_rules(labels: Mapping[str, LabelConfig], declared: Mapping[str, int]) -> Iterator[Fault]:
    path = "harness.memory.labels"
    taken = {number: name for name, number in declared.items()}
    for name, label in labels.items():
        if not LABEL_NAME.fullmatch(name):
            yield Fault(f"{path}.{name}", "name must be a letter or _ followed by at most 63 letters, digits or _")
        if label.number not in LABEL_NUMBERS:
            yield Fault(f"{path}.{name}.number", f"is {label.number}; it must be from 5 to 18")
        elif (owner := taken.setdefault(label.number, name)) != name:
            yield Fault(f"{path}.{name}.number", f"{label.number} already belongs to label {owner}: choose another")
        if not label.description.strip():
            yield Fault(f"{path}.{name}.description", "must not be empty: the agent reads it")
    for name, number in declared.items():
        if name not in labels:
            yield Fault(f"{path}.{name}", f"was declared with number {number} by an earlier version: keep it")
        elif labels[name].number != number:
            yield Fault(f"{path}.{name}.number", f"was declared as {number} by an earlier version: keep that number")


def _search_rules(search: SearchConfig) -> Iterator[Fault]:
    path = "harness.memory.search"
    if not 1 <= search.max_results <= MAX_RESULTS:
        yield Fault(f"{path}.max_results", f"is {search.max_results}; it must be from 1 to {MAX_RESULTS}")
    if search.min_score is not None and not -1 <= search.min_score <= 1:
        yield Fault(f"{path}.min_score", f"is {search.min_score}; it must be from -1 to 1")


def _unique(path: str, values: tuple[str, ...]) -> Iterator[Fault]:
    seen: set[str] = set()
    for position, value in enumerate(values):
        if value in seen:
            yield Fault(f"{path}[{position}]", f'repeats "{value}": name each once')
        seen.add(value)
