"""What commits changed goes into the index, from the records as they are now (SPEC §4; DESIGN "Index and ranking").

Safe to repeat, in any order and by several at once: documents carry versions, and a commit's outbox item is deleted
only when searches see what it changed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from memoir.domain.errors import EmbedderUnavailable
from memoir.domain.record import Record, RecordVector
from memoir.ports import Clock, Embedder, Outbox, OutboxKey, OutboxStore, RecordStore, SearchIndex
from memoir.services.embedding import embed_records, record_text

OVERDUE_SECONDS = 120
"""The sweep takes what the stream did not bring for this long."""
SWEEP_ITEMS = 200


@dataclass(frozen=True, slots=True)
class Indexing:
    """One of each port that indexing needs."""

    outbox: OutboxStore
    records: RecordStore
    index: SearchIndex
    embedder: Embedder
    clock: Clock


def index_commits(ports: Indexing, keys: Sequence[OutboxKey]) -> int:
    """Bring commits into the index.

    Args:
        ports: What it works with.
        keys: Their outbox items; those that are gone were brought before.

    Returns:
        How many are done; one whose vectors cannot be made now is indexed by its words and stays for the sweep.

    Raises:
        IndexUnavailable: The index did not take them; they stay.
    """
    waiting = ports.outbox.read(keys)
    records, complete = _current(ports, waiting)
    if records:
        ports.index.write(records)
    done = [outbox.key for outbox in waiting if complete or not _lacks_vector(ports, records, outbox)]
    for key in done:
        ports.outbox.done(key)
    return len(done)


def sweep(ports: Indexing) -> int:
    """Bring what the stream lost, or what had to wait for the embedder; how many are done."""
    now = datetime.fromisoformat(ports.clock.now())
    before = (now - timedelta(seconds=OVERDUE_SECONDS)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return index_commits(ports, ports.outbox.overdue(before, SWEEP_ITEMS))


def _current(ports: Indexing, waiting: Sequence[Outbox]) -> tuple[list[Record], bool]:
    """The records as they are now, with their vectors; and whether the embedder answered."""
    ids: dict[str, list[str]] = {}
    for outbox in waiting:
        ids.setdefault(outbox.action_id, []).extend(outbox.memory_ids)
    records = [record for agent, some in ids.items() for record in ports.records.get(agent, some).values()]
    bare = [record for record in records if record.active and not _has_vector(ports, record)]
    if not bare:
        return records, True
    try:
        made = embed_records(ports.embedder, [record_text(record.summary, record.content) for record in bare])
    except EmbedderUnavailable:
        return records, False
    model = ports.embedder.profile.model
    given = {
        record.memory_id: replace(record, vector=RecordVector(model, one.vector))
        for record, one in zip(bare, made, strict=True)
        if one is not None
    }
    for record in given.values():
        if record.vector is not None:
            ports.records.attach_vector(record, record.vector)
    return [given.get(record.memory_id, record) for record in records], True


def _has_vector(ports: Indexing, record: Record) -> bool:
    return record.vector is not None and record.vector.model == ports.embedder.profile.model


def _lacks_vector(ports: Indexing, records: Sequence[Record], outbox: Outbox) -> bool:
    mine = [record for record in records if record.memory_id in outbox.memory_ids]
    return any(record.active and not _has_vector(ports, record) for record in mine)
