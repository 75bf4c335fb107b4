"""A turn's staged changes and how they look from inside the turn (SPEC §4 "Read your own writes").

Staged changes live in the tool calls of the attempt's log and nowhere else. They become records in the commit.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from memoir.domain.record import Record

MAX_CHANGES = 30
"""Record changes of one turn (SPEC §4)."""


@dataclass(frozen=True, slots=True)
class StagedAdd:
    """A record to be written; ``record.created`` is empty.

    Attributes:
        lock: Duplicate key; ``None`` for a preview deletion, which states no fact.
        hides: Whether ``record.replaces`` is a live record, which a preview turn hides instead of changing it.
    """

    call_id: str
    record: Record
    lock: str | None
    hides: bool = False


@dataclass(frozen=True, slots=True)
class StagedDelete:
    """A record to be deleted."""

    call_id: str
    memory_id: str


StagedChange = StagedAdd | StagedDelete


@dataclass(frozen=True, slots=True)
class StagedView:
    """What the turn itself sees: its new records, and what its changes make of stored ones."""

    changes: tuple[StagedChange, ...]
    time: str
    principal: str

    @property
    def full(self) -> bool:
        """Whether the turn has used its record changes."""
        return len(self.changes) >= MAX_CHANGES

    def added(self) -> Mapping[str, Record]:
        """New records by id, in their state after all the turn's changes, in the order of their calls."""
        return {c.record.memory_id: self.apply(c.record) for c in self.changes if isinstance(c, StagedAdd)}

    def locks(self) -> Mapping[str, str]:
        """Duplicate key → id of the newest record that this turn adds under it."""
        return {c.lock: c.record.memory_id for c in self.changes if isinstance(c, StagedAdd) and c.lock is not None}

    def apply(self, record: Record) -> Record:
        """The record as this turn sees it."""
        for change in self.changes:
            if isinstance(change, StagedDelete):
                if change.memory_id == record.memory_id:
                    record = record.deleted(self.time, self.principal)
            elif change.record.replaces == record.memory_id and not change.hides:
                record = record.superseded(change.record.memory_id, self.time, self.principal)
        return record

    def hidden(self) -> Mapping[str, str]:
        """Live record → the preview record of this turn that names it."""
        adds = (c for c in self.changes if isinstance(c, StagedAdd) and c.hides)
        return {c.record.replaces: c.record.memory_id for c in adds if c.record.replaces}

    def touched(self) -> frozenset[str]:
        """Ids of stored records that the changes name."""
        new = {c.record.memory_id for c in self.changes if isinstance(c, StagedAdd)}
        return frozenset(named(self.changes)) - new


def named(changes: Iterable[StagedChange]) -> list[str]:
    """Every id that a change deletes or replaces."""
    ids = [c.memory_id if isinstance(c, StagedDelete) else c.record.replaces for c in changes]
    return [memory_id for memory_id in ids if memory_id]
