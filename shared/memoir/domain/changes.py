"""The change set of a commit: a pure function of staged changes and the stored records (SPEC §3, §4; DESIGN "Commit").

It is made again from fresh heads when the transaction is cancelled, so it finds skips and conflicts itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from memoir.domain.errors import Conflict
from memoir.domain.record import Record
from memoir.domain.staging import StagedAdd, StagedChange


@dataclass(frozen=True, slots=True)
class Lock:
    """A duplicate lock to take; ``expected`` is the record that holds it now, no longer ACTIVE, or ``None``."""

    key: str
    memory_id: str
    expected: str | None


@dataclass(frozen=True, slots=True)
class Update:
    """A stored record's change; it holds only while the stored version is still that of ``before``."""

    before: Record
    after: Record


@dataclass(frozen=True, slots=True)
class Skip:
    """An add whose fact is already there."""

    call_id: str
    memory_id: str
    existing_id: str


@dataclass(frozen=True, slots=True)
class Shadow:
    """A live record that a preview record hides from preview turns; at most one names it."""

    live_id: str
    preview_id: str


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """Everything that a commit does to records.

    Attributes:
        dropped: Why items of the review were left out: another turn was first.
    """

    written: tuple[Record, ...] = ()
    updates: tuple[Update, ...] = ()
    locks: tuple[Lock, ...] = ()
    skips: tuple[Skip, ...] = ()
    dropped: tuple[str, ...] = ()
    shadows: tuple[Shadow, ...] = ()

    @property
    def changed(self) -> tuple[Record, ...]:
        """Every record in its new state."""
        return (*self.written, *(update.after for update in self.updates))


@dataclass(slots=True)
class _Builder:
    heads: dict[str, Record]
    holders: Mapping[str, str]
    now: str
    principal: str
    hidden: Mapping[str, str]
    new: dict[str, Record] = field(default_factory=dict)
    locks: dict[str, Lock] = field(default_factory=dict)
    skips: list[Skip] = field(default_factory=list)
    shadows: list[Shadow] = field(default_factory=list)
    alias: dict[str, str] = field(default_factory=dict)

    def known(self, memory_id: str) -> Record | None:
        return self.new.get(memory_id) or self.heads.get(memory_id)

    def put(self, record: Record) -> None:
        (self.new if record.memory_id in self.new else self.heads)[record.memory_id] = record

    def apply(self, change: StagedChange) -> None:
        if isinstance(change, StagedAdd):
            self.add(change)
        else:
            self.delete(change.memory_id)

    def add(self, change: StagedAdd) -> None:
        record = change.record
        target = self.alias.get(record.replaces, record.replaces) if record.replaces else None
        if change.hides and target is not None:
            self._check_not_hidden(target)
        replaced = self._replaceable(target) if target and not change.hides else None
        if change.lock is not None and not self._lock(change, change.lock, replaced):
            return
        self.new[record.memory_id] = _with_target(record, target).committed(self.now)
        if replaced is not None:
            self.put(replaced.superseded(record.memory_id, self.now, self.principal))
        elif target is not None:
            self.shadows.append(Shadow(target, record.memory_id))

    def _lock(self, change: StagedAdd, key: str, replaced: Record | None) -> bool:
        """Take the fact's lock; ``False`` when the fact is already there, which is noted as a skip."""
        locked = self.locks.get(key)
        holder_id = locked.memory_id if locked else self.holders.get(key)
        holder = self.known(holder_id) if holder_id else None
        if holder is not None and holder.active and holder is not replaced:
            self._skip(change, holder, replaced)
            return False
        self.locks[key] = Lock(key, change.record.memory_id, locked.expected if locked else holder_id)
        return True

    def _check_not_hidden(self, live_id: str) -> None:
        if other := self.hidden.get(live_id):
            raise Conflict(
                f"record {live_id} was replaced in preview by {other} meanwhile: retry the turn and replace that one"
            )

    def delete(self, memory_id: str) -> None:
        record = self.known(self.alias.get(memory_id, memory_id))
        if record is None:
            raise Conflict(f"record {memory_id} is not there any more: end the turn and look again")
        self.put(record.deleted(self.now, self.principal))

    def _replaceable(self, target: str) -> Record:
        record = self.known(target)
        if record is None or not record.active:
            by = f" by {record.replaced_by}" if record and record.replaced_by else ""
            how = "deleted" if record and not record.replaced_by else f"replaced{by}"
            raise Conflict(
                f"record {target} was {how} by another turn meanwhile: retry the turn and replace what is there now"
            )
        return record

    def _skip(self, change: StagedAdd, holder: Record, replaced: Record | None) -> None:
        record = change.record
        if replaced is not None:
            raise Conflict(
                f"record {holder.memory_id} now says the same as the replacement of {replaced.memory_id}: delete one"
            )
        if (holder.kind, holder.pinned) != (record.kind, record.pinned):
            raise Conflict(
                f"another turn wrote the same fact as record {holder.memory_id}, kind {holder.kind}"
                f"{', pinned' if holder.pinned else ''}: use replaces to change it"
            )
        self.alias[record.memory_id] = holder.memory_id
        self.skips.append(Skip(change.call_id, record.memory_id, holder.memory_id))


def build_changes(
    changes: Sequence[StagedChange],
    heads: Mapping[str, Record],
    holders: Mapping[str, str],
    now: str,
    principal: str,
    *,
    hidden: Mapping[str, str] | None = None,
    review: Sequence[StagedChange] = (),
) -> ChangeSet:
    """Turn staged changes into what the transaction writes.

    Args:
        changes: In the order of their calls.
        heads: Stored records that the changes name or that hold a lock, by id.
        holders: Duplicate key → the stored record that holds it.
        now: Commit time, RFC 3339 UTC; used for every record of the turn.
        principal: The writing agent's principal.
        hidden: For a preview turn: live record → the committed preview record that names it.
        review: What the review stages after them; of these, one in conflict is dropped alone.

    Raises:
        Conflict: Another turn changed a record first; the message names it.
    """
    builder = _Builder(dict(heads), holders, now, principal, hidden or {})
    for change in changes:
        builder.apply(change)
    skips, dropped = tuple(builder.skips), []
    for change in review:
        try:
            builder.apply(change)
        except Conflict as conflict:
            dropped.append(conflict.message)
    updates = [Update(heads[i], r) for i, r in builder.heads.items() if r.version != heads[i].version]
    return ChangeSet(
        written=tuple(builder.new.values()),
        updates=tuple(updates),
        locks=tuple(builder.locks.values()),
        skips=skips,
        dropped=tuple(dropped),
        shadows=tuple(builder.shadows),
    )


def _with_target(record: Record, target: str | None) -> Record:
    return record if record.replaces == target else replace(record, replaces=target)
