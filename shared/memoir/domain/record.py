"""The memory record: its fields, limits, versions and transitions (page "Agent memory"; SPEC §3).

A record's text never changes. Its versions record status, ``pinned``, ``replacedBy``, ``modified`` and ``modifiedBy``;
the record is its latest version, so the two cannot disagree.
"""

import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from pydantic import JsonValue

from memoir.domain.config import ScopeName
from memoir.domain.embedding import Vector
from memoir.domain.text import byte_length, fold_for_duplicates, one_line_fault
from memoir.domain.tokens import TokenText

SUMMARY_BYTES = 512
CONTENT_BYTES = 16 * 1024
LABEL_VALUE_BYTES = 256


class Status(StrEnum):
    """Status of a record."""

    ACTIVE = "ACTIVE"
    SUPERSEDED = "SUPERSEDED"
    DELETED = "DELETED"


class Scope(StrEnum):
    """Which sessions recall a record."""

    SESSION = "SESSION"
    AGENT = "AGENT"

    @property
    def config_name(self) -> ScopeName:
        """Its name in a configuration."""
        return ScopeName(self.value.lower())


class Source(StrEnum):
    """What wrote a record."""

    EXTRACTION = "EXTRACTION"
    TOOL = "TOOL"
    OPERATOR = "OPERATOR"


@dataclass(frozen=True, slots=True)
class Change:
    """What one version records."""

    status: Status
    pinned: bool
    replaced_by: str | None
    modified: str
    modified_by: str


@dataclass(frozen=True, slots=True)
class RecordVector:
    """A record's vector with the id of the model that made it."""

    model: str
    values: Vector


@dataclass(frozen=True, slots=True)
class Record:
    """A memory record at its latest version.

    Attributes:
        changes: One a version, oldest first; never empty.
        labels: ``(number, value)`` in number order.
        created: RFC 3339 UTC commit time of its turn; empty while staged.
        tokens: Index tokens of its text.
        vector: ``None`` until an embedder answered.
    """

    memory_id: str
    action_id: str
    summary: str
    content: str
    kind: str
    scope: Scope
    source: Source
    labels: tuple[tuple[int, str], ...]
    preview: bool
    replaces: str | None
    execution_id: str
    invocation_number: int
    action_version: int
    session_id: str | None
    created: str
    changes: tuple[Change, ...]
    tokens: TokenText
    vector: RecordVector | None = None
    metadata: Mapping[str, JsonValue] = field(default_factory=dict)

    @property
    def version(self) -> int:
        """Its version, from 1."""
        return len(self.changes)

    @property
    def status(self) -> Status:
        """Its status now."""
        return self.changes[-1].status

    @property
    def active(self) -> bool:
        """Whether recall may find it."""
        return self.status is Status.ACTIVE

    @property
    def pinned(self) -> bool:
        """Whether every turn lists it."""
        return self.changes[-1].pinned

    @property
    def replaced_by(self) -> str | None:
        """The record that replaced it."""
        return self.changes[-1].replaced_by

    @property
    def modified(self) -> str:
        """Time of its last change."""
        return self.changes[-1].modified

    @property
    def modified_by(self) -> str:
        """Principal that made the last change."""
        return self.changes[-1].modified_by

    @property
    def staged(self) -> bool:
        """Whether its turn is not committed."""
        return not self.created

    def at_version(self, version: int) -> "Record | None":
        """The record as it was at ``version``, or ``None``."""
        return replace(self, changes=self.changes[:version]) if 1 <= version <= self.version else None

    def superseded(self, by: str, now: str, principal: str) -> "Record":
        """Its next version: replaced by another record; unpinned."""
        return self._changed(Change(Status.SUPERSEDED, False, by, now, principal))

    def deleted(self, now: str, principal: str) -> "Record":
        """Its next version: deleted and unpinned; a deleted record comes back unchanged."""
        if self.status is Status.DELETED:
            return self
        return self._changed(Change(Status.DELETED, False, self.replaced_by, now, principal))

    def _changed(self, change: Change) -> "Record":
        later = max(change.modified, self.modified)
        return replace(self, changes=(*self.changes, replace(change, modified=later)))

    def committed(self, now: str) -> "Record":
        """The staged record with its turn's commit time, the same for all its versions."""
        return replace(self, created=now, changes=tuple(replace(change, modified=now) for change in self.changes))


def text_faults(summary: str, content: str) -> list[str]:
    """Why a record's text is refused, each a sentence with the limit."""
    faults = []
    if not summary.strip():
        faults.append("summary must not be empty: say the fact in one line")
    if (size := byte_length(summary)) > SUMMARY_BYTES:
        faults.append(f"summary is {size} bytes of UTF-8; at most {SUMMARY_BYTES}: shorten it and use content")
    if fault := one_line_fault(summary):
        faults.append(f"summary {fault}")
    if (size := byte_length(content)) > CONTENT_BYTES:
        faults.append(f"content is {size} bytes of UTF-8; at most {CONTENT_BYTES}: shorten it or save several records")
    return faults


def label_value_fault(name: str, value: str) -> str | None:
    """Why a label's value is refused, or ``None``."""
    if 1 <= (size := byte_length(value)) <= LABEL_VALUE_BYTES:
        return None
    return f"label {name} has a value of {size} bytes; it must have 1 to {LABEL_VALUE_BYTES}"


def duplicate_key(record: Record, secret: bytes) -> str:
    """What two records of the same fact share: an HMAC, since a bare hash of a short fact can be guessed (SPEC §3)."""
    parts = [
        record.action_id,
        record.scope.value,
        record.session_id if record.scope is Scope.SESSION else None,
        record.preview,
        record.labels,
        fold_for_duplicates(record.summary),
        fold_for_duplicates(record.content),
    ]
    return hmac.new(secret, json.dumps(parts).encode(), hashlib.sha256).hexdigest()


def index_tokens(summary: str, content: str) -> TokenText:
    """The tokens by which a record is found."""
    return TokenText.of(summary, content)
