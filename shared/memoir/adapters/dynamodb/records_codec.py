"""Records as items, and back; a record's text, its versions and its vector in one item (SPEC §3)."""

import json
from typing import Any

from memoir.adapters.dynamodb import keys
from memoir.adapters.dynamodb.values import Item, Plain, item, squeeze, to_json, unsqueeze
from memoir.domain.record import Change, Record, RecordVector, Scope, Source, Status, index_tokens
from memoir.domain.tokens import TokenText
from memoir.domain.vectors import pack, unpack
from memoir.schema import GSI_LIST, GSI_SWEEP


def record_item(record: Record) -> Item:
    """A committed record, with its rows in the lists."""
    fields = record_fields(record)
    row = keys.row(record.created, record.memory_id)
    fields |= {f"{GSI_SWEEP}pk": keys.agent(record.action_id), f"{GSI_SWEEP}sk": row}
    if record.active:
        scope = record.session_id if record.scope is Scope.SESSION else None
        fields |= {
            f"{GSI_LIST}pk": keys.agent_list(record.action_id, scope, preview=record.preview),
            f"{GSI_LIST}sk": row,
        }
    return item(keys.record(record.action_id, record.memory_id), keys.RECORD, fields)


def record_fields(record: Record) -> dict[str, Plain | None]:
    """A record's fields, keys aside."""
    return {
        "agent": record.action_id,
        "summary": record.summary,
        "content": squeeze(record.content),
        "kind": record.kind,
        "scope": record.scope.value,
        "source": record.source.value,
        "labels": to_json(record.labels),
        "preview": record.preview,
        "replaces": record.replaces,
        "execution": record.execution_id,
        "invocation": record.invocation_number,
        "action_version": record.action_version,
        "session": record.session_id,
        "created": record.created,
        "metadata": to_json(record.metadata),
        "tokens": squeeze(record.tokens.encode()),
        "model": record.vector.model if record.vector else None,
        "vector": pack(record.vector.values) if record.vector else None,
        **version_fields(record),
    }


def version_fields(record: Record) -> dict[str, Plain]:
    """What a new version changes."""
    changes = [[c.status.value, c.pinned, c.replaced_by, c.modified, c.modified_by] for c in record.changes]
    return {"version": record.version, "status": record.status.value, "changes": to_json(changes)}


def record_from(memory_id: str, found: dict[str, Any]) -> Record:
    """Read a record; tokens of another tokenizer are made again."""
    summary, content = found["summary"], unsqueeze(found["content"])
    tokens = TokenText.decode(unsqueeze(found["tokens"]))
    return Record(
        memory_id=memory_id,
        action_id=found["agent"],
        summary=summary,
        content=content,
        kind=found["kind"],
        scope=Scope(found["scope"]),
        source=Source(found["source"]),
        labels=tuple((number, value) for number, value in json.loads(found["labels"])),
        preview=found["preview"],
        replaces=found.get("replaces"),
        execution_id=found["execution"],
        invocation_number=found["invocation"],
        action_version=found["action_version"],
        session_id=found.get("session"),
        created=found["created"],
        changes=tuple(_change(one) for one in json.loads(found["changes"])),
        tokens=index_tokens(summary, content) if tokens is None else tokens,
        vector=RecordVector(found["model"], unpack(found["vector"])) if "vector" in found else None,
        metadata=json.loads(found["metadata"]),
    )


def _change(row: list[Any]) -> Change:
    status, pinned, replaced_by, modified, modified_by = row
    return Change(Status(status), pinned, replaced_by, modified, modified_by)
