"""Records in replies: entries for programs, fenced lines for the model, ids and versions for the log (SPEC §4, §6)."""

import json
from collections.abc import Iterable, Mapping, Sequence

from pydantic import JsonValue

from memoir.domain.block import fence, record_lines
from memoir.domain.record import Record
from memoir.domain.turn import Call
from memoir.protocol import LabelEntry, RecordChange, RecordEntry
from memoir.services.resources import Resources
from memoir.services.turns import Turn

REPLY_BYTES = 3_400_000
"""UTF-8 bytes of records in one reply, which leaves room for the rest of it under 3.5 MB (SPEC §4)."""

Ref = tuple[str, int]


def refs(records: Iterable[Record]) -> list[JsonValue]:
    """Ids and versions, as the log keeps them."""
    return [[record.memory_id, record.version] for record in records]


def parse_refs(value: JsonValue) -> list[Ref]:
    """Read what ``refs`` wrote."""
    rows = value if isinstance(value, list) else []
    return [(str(one[0]), int(str(one[1]))) for one in rows if isinstance(one, list)]


def at_refs(res: Resources, turn: Turn, wanted: Sequence[Ref]) -> list[Record]:
    """Records at the versions that an earlier call saw, from the turn's log and the store."""
    if not wanted:
        return []
    staged = turn.staged.added()
    stored = res.records.get(turn.execution.action_id, [one for one, _ in wanted if one not in staged])
    found = []
    for memory_id, version in wanted:
        record = staged.get(memory_id) or turn.staged.apply(stored[memory_id])
        found.append(record.at_version(version) or record)
    return found


def entry(record: Record, labels: Mapping[int, str]) -> RecordEntry:
    """A record for programs."""
    return RecordEntry(
        memory_id=record.memory_id,
        version=record.version,
        status=record.status.value,
        scope=record.scope.value,
        kind=record.kind,
        summary=record.summary,
        content=record.content,
        labels=tuple(LabelEntry(name=labels.get(n), number=n, value=value) for n, value in record.labels),
        pinned=record.pinned,
        source=record.source.value,
        created=record.created or None,
        modified=record.modified if record.created else None,
        replaces=record.replaces,
        replaced_by=record.replaced_by,
        preview=record.preview,
    )


def change(record: Record) -> RecordChange:
    """A record as a commit's result shows it."""
    return RecordChange(
        memory_id=record.memory_id,
        version=record.version,
        status=record.status.value,
        scope=record.scope.value,
        kind=record.kind,
        summary=record.summary,
        replaces=record.replaces,
        replaced_by=record.replaced_by,
    )


def entries(records: Sequence[Record], turn: Turn) -> list[dict[str, JsonValue]]:
    """Records as JSON for a tool's output."""
    labels = turn.harness.memory.label_names()
    return [entry(record, labels).model_dump(mode="json", by_alias=True) for record in records]


def fenced(records: Sequence[Record], turn: Turn, call: Call, *, whole: bool) -> str:
    """Records as the model reads them; with ``whole``, contents are not left out for their length."""
    labels = turn.harness.memory.label_names()
    lines = record_lines(records, labels, budget=None) if whole else record_lines(records, labels)
    return fence(lines, str(call.answer["nonce"]), call.name)


def fit(records: Sequence[Record], turn: Turn, *, whole: bool) -> int:
    """How many of the records a reply can hold."""
    labels = turn.harness.memory.label_names()
    size = 0
    for count, record in enumerate(records):
        text = "\n".join(record_lines([record], labels, budget=None if whole else 0))
        size += json_bytes(entries([record], turn)[0]) + json_bytes(text)
        if size > REPLY_BYTES:
            return count
    return len(records)


def json_bytes(value: object) -> int:
    """Bytes of UTF-8 that a value takes as JSON."""
    return len(json.dumps(value, ensure_ascii=False).encode())
