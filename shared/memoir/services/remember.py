"""The memory tools that write and read single records (page "Agent memory"; SPEC §3, §6).

A write is checked here against what is there now, so that the agent reads why it fails; the commit checks it again.
"""

from dataclasses import dataclass, replace

from memoir.domain.config import ScopeName
from memoir.domain.errors import EmbedderUnavailable, ToolRefused
from memoir.domain.pins import budget_fault
from memoir.domain.record import (
    Change,
    Record,
    RecordVector,
    Scope,
    Source,
    Status,
    duplicate_key,
    index_tokens,
    label_value_fault,
    text_faults,
)
from memoir.domain.staging import MAX_CHANGES, StagedAdd, StagedChange, StagedDelete, named
from memoir.domain.text import try_uuid
from memoir.domain.tools import AddMemory, check_kind, label_numbers
from memoir.domain.turn import Usage
from memoir.services.embedding import embed_records, record_text
from memoir.services.resources import Resources
from memoir.services.turns import Turn, pins_of


@dataclass(frozen=True, slots=True)
class Added:
    """What ``add_memory`` did: staged a record, or found it there already."""

    record: Record
    staged: StagedAdd | None
    usage: Usage | None = None


def add_memory(res: Resources, turn: Turn, call_id: str, given: AddMemory) -> Added:
    """Stage a new record, or find the ACTIVE one that says the same.

    Raises:
        ToolRefused: The agent may not do this; nothing changed.
    """
    record = _new_record(res, turn, given)
    key = duplicate_key(record, res.secrets.lock_key)
    replaced, holder = _named(res, turn, record.replaces, key)
    _check_replaces(turn, record, replaced)
    if holder is not None and holder.active and holder.memory_id != record.replaces:
        return Added(_same_fact(record, holder, replaced), None)
    _require_room(turn)
    if record.pinned:
        _check_budget(res, turn, record)
    embedded, usage = _embedded(res, record)
    hides = record.preview and replaced is not None and not replaced.preview
    return Added(embedded, StagedAdd(call_id, embedded, key, hides), usage)


def delete_memory(res: Resources, turn: Turn, call_id: str, memory_id: str) -> tuple[Record, StagedChange | None]:
    """Stage a deletion; a deleted record comes back unchanged and stages nothing.

    A preview turn deletes a live record by a preview record that names it, and never changes it (SPEC §9).

    Raises:
        ToolRefused: The record is out of reach, or in a scope that the agent only reads.
    """
    record = known(res, turn, memory_id)
    if record is not None and record.memory_id in turn.hidden:
        record = _instead_of(res, turn, record)
    if record is None or not turn.writing.holds(record):
        raise _out_of_reach(turn, memory_id, record, "delete")
    if record.status is Status.DELETED:
        return record, None
    _require_room(turn)
    if turn.execution.preview and not record.preview:
        deletion = preview_deletion(res, turn, record, Source.TOOL)
        return deletion, StagedAdd(call_id, deletion, None, hides=True)
    return record.deleted(turn.attempt.created, turn.agent.principal), StagedDelete(call_id, record.memory_id)


def read_memory(res: Resources, turn: Turn, memory_id: str) -> Record:
    """One record within reach, whatever its status.

    Raises:
        ToolRefused: There is none.
    """
    record = known(res, turn, memory_id)
    if record is None or not turn.reading.holds(record):
        raise _unknown(memory_id)
    return record


def known(res: Resources, turn: Turn, memory_id: str) -> Record | None:
    """A record as the turn sees it: staged, or stored; out of reach or not."""
    canonical = try_uuid(memory_id)
    if canonical is None:
        return None
    if staged := turn.staged.added().get(canonical):
        return staged
    stored = res.records.get(turn.execution.action_id, [canonical]).get(canonical)
    return turn.staged.apply(stored) if stored else None


def preview_deletion(res: Resources, turn: Turn, live: Record, source: Source) -> Record:
    """The preview record that deletes a live one: its summary, kind, labels, scope and session, and no content."""
    execution = turn.execution
    return Record(
        memory_id=res.ids.uuid7(),
        action_id=live.action_id,
        summary=live.summary,
        content="",
        kind=live.kind,
        scope=live.scope,
        source=source,
        labels=live.labels,
        preview=True,
        replaces=live.memory_id,
        execution_id=execution.execution_id,
        invocation_number=turn.attempt.id.number,
        action_version=execution.action_version,
        session_id=live.session_id,
        created="",
        changes=(Change(Status.DELETED, False, None, turn.now, turn.agent.principal),),
        tokens=index_tokens(live.summary, ""),
    )


def _instead_of(res: Resources, turn: Turn, hidden: Record) -> Record:
    """The preview deletion of a live record, which deleting it again returns.

    Raises:
        ToolRefused: A preview record replaced it; or it was out of reach in the first place.
    """
    preview = known(res, turn, turn.hidden[hidden.memory_id])
    if preview is None or not turn.writing.holds(preview):
        raise _unknown(hidden.memory_id)
    if preview.status is Status.DELETED and preview.version == 1:
        return preview
    raise ToolRefused(
        f"record {hidden.memory_id} was already replaced in preview by {preview.memory_id}: delete that one instead"
    )


def _new_record(res: Resources, turn: Turn, given: AddMemory) -> Record:
    memory, execution = turn.harness.memory, turn.execution
    content = given.content or ""
    faults = text_faults(given.summary, content)
    faults += [fault for name, value in (given.labels or {}).items() if (fault := label_value_fault(name, value))]
    if faults:
        raise ToolRefused("\n".join(faults))
    check_kind(given.kind, memory)
    if given.pinned and memory.pinned is None:
        raise ToolRefused("nothing can be pinned: this agent has no memory.pinned")
    return Record(
        memory_id=res.ids.uuid7(),
        action_id=execution.action_id,
        summary=given.summary,
        content=content,
        kind=given.kind,
        scope=_scope(turn, given.scope),
        source=Source.TOOL,
        labels=label_numbers(given.labels, memory),
        preview=execution.preview,
        replaces=(try_uuid(given.replaces) or given.replaces) if given.replaces is not None else None,
        execution_id=execution.execution_id,
        invocation_number=turn.attempt.id.number,
        action_version=execution.action_version,
        session_id=execution.session_id,
        created="",
        changes=(Change(Status.ACTIVE, bool(given.pinned), None, turn.now, turn.agent.principal),),
        tokens=index_tokens(given.summary, content),
    )


def _scope(turn: Turn, asked: str | None) -> Scope:
    writes = turn.harness.memory.writes
    default = ScopeName.SESSION if ScopeName.SESSION in writes else ScopeName.AGENT
    scope = ScopeName(asked) if asked else default
    if scope not in writes:
        raise ToolRefused(f"this agent may not write {scope.value} scope: leave scope out, or pass {default.value}")
    return Scope(scope.value.upper())


def _check_budget(res: Resources, turn: Turn, record: Record) -> None:
    """Refuse a pin that takes the list, with what this turn did to it before, over its budget."""
    pinned = turn.harness.memory.pinned
    stored = pins_of(res, turn.execution, turn.hidden)
    mine = [one for one in turn.staged.added().values() if one.active and one.pinned]
    before = stored.after(named(turn.staged.changes), mine)
    after = before.after([record.replaces] if record.replaces else [], [record])
    if pinned is not None and (fault := budget_fault(before, after, pinned.max_tokens)):
        raise ToolRefused(fault)


def _named(res: Resources, turn: Turn, replaces: str | None, key: str) -> tuple[Record | None, Record | None]:
    """The record to be replaced and the one that holds the duplicate key, as the turn sees them."""
    replaced, holder_id = res.gather.gather(
        lambda: known(res, turn, replaces) if replaces is not None else None,
        lambda: turn.staged.locks().get(key) or res.records.holders([key]).get(key),
    )
    if holder_id is None or (replaced is not None and replaced.memory_id == holder_id):
        return replaced, replaced if holder_id else None
    return replaced, known(res, turn, holder_id)


def _check_replaces(turn: Turn, record: Record, replaced: Record | None) -> None:
    if record.replaces is None:
        return
    if preview_id := turn.hidden.get(record.replaces):
        raise _hidden(turn, record.replaces, preview_id, replaced)
    if replaced is None or not turn.writing.holds(replaced):
        raise _out_of_reach(turn, record.replaces, replaced, "replace")
    if not replaced.active:
        if replaced.replaced_by:
            raise ToolRefused(
                f"record {replaced.memory_id} was already replaced by {replaced.replaced_by}: replace that one instead"
            )
        raise ToolRefused(f"record {replaced.memory_id} is deleted: add the fact without replaces")
    if record.scope is Scope.SESSION and replaced.scope is Scope.AGENT:
        raise ToolRefused(
            f"record {replaced.memory_id} has agent scope and a session record would hide it from every other session: "
            "pass scope agent"
        )


def _same_fact(record: Record, holder: Record, replaced: Record | None) -> Record:
    if replaced is not None:
        raise ToolRefused(
            f"record {holder.memory_id} already says exactly this: delete {replaced.memory_id} instead, or replace "
            f"{holder.memory_id}"
        )
    if (holder.kind, holder.pinned) != (record.kind, record.pinned):
        pinned = ", pinned" if holder.pinned else ""
        raise ToolRefused(
            f"record {holder.memory_id} already says this with kind {holder.kind}{pinned}: use replaces to change it"
        )
    return holder


def _embedded(res: Resources, record: Record) -> tuple[Record, Usage | None]:
    """The record with its vector; without one when the embedder fails, and the vector follows later."""
    try:
        made = embed_records(res.embedder, [record_text(record.summary, record.content)])[0]
    except EmbedderUnavailable:
        made = None
    if made is None:
        return record, None
    model = res.embedder.profile.model
    return replace(record, vector=RecordVector(model, made.vector)), Usage("embed", model, made.tokens)


def _require_room(turn: Turn) -> None:
    if turn.staged.full:
        raise ToolRefused(
            f"this turn has changed {MAX_CHANGES} records, the most one turn may change: save the rest in the next turn"
        )


def _hidden(turn: Turn, memory_id: str, preview_id: str, live: Record | None) -> ToolRefused:
    """Why a record that a preview record names is not replaced once more."""
    reach = replace(turn.writing, hidden=frozenset())
    if live is None or not reach.holds(live):
        return _unknown(memory_id)
    return ToolRefused(
        f"record {memory_id} was already replaced in preview by {preview_id}: replace that one, or add the fact alone"
    )


def _out_of_reach(turn: Turn, memory_id: str, record: Record | None, verb: str) -> ToolRefused:
    if record is not None and turn.reading.holds(record):
        scope = record.scope.config_name.value
        return ToolRefused(f"this agent reads {scope} scope but does not write it: it may not {verb} {memory_id}")
    return _unknown(memory_id)


def _unknown(memory_id: str) -> ToolRefused:
    return ToolRefused(f"there is no record {memory_id[:100]!r} within reach: search memory for the right id")
