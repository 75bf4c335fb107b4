"""From a review's candidates to staged changes: compared with what is known, checked whole, then made (SPEC §7)."""

import re
from collections.abc import Sequence
from dataclasses import replace

from memoir.domain.errors import EmbedderUnavailable
from memoir.domain.plan import Action, Decision, Plan, PlanItem, Proposed, decide, scope_of
from memoir.domain.record import Change, Record, RecordVector, Scope, Source, Status, duplicate_key, index_tokens
from memoir.domain.staging import StagedAdd, StagedChange, StagedDelete
from memoir.domain.tools import label_numbers
from memoir.services.embedding import embed_records, record_text
from memoir.services.ranked import Filters, Found
from memoir.services.remember import preview_deletion
from memoir.services.resources import Resources
from memoir.services.review_calls import Caller
from memoir.services.search import find
from memoir.services.turns import Turn

SIMILAR = 5
"""Memories that a candidate is compared with."""
_SPACE = re.compile(r"\s+")


def propose(
    res: Resources, turn: Turn, caller: Caller, candidates: tuple[Proposed, ...], room: int
) -> tuple[Decision, ...]:
    """What to do with each candidate; where nothing similar is known, all are added without another call.

    Raises:
        ReviewFault: The plan breaks a rule; nothing of it holds.
    """
    known: dict[str, Record] = {}
    handles: dict[str, str] = {}
    similar: list[list[str]] = []
    for candidate in candidates:
        found = _similar(res, turn, candidate)
        caller.embeds(found.usage)
        for record in found.records:
            handles.setdefault(record.memory_id, f"m{len(handles) + 1}")
            known[handles[record.memory_id]] = record
        similar.append([handles[record.memory_id] for record in found.records])
    memory = turn.harness.memory
    if not known:
        everything = Plan(plan=tuple(PlanItem(action=Action.ADD, candidate=n + 1) for n in range(len(candidates))))
        return decide(everything, candidates, {}, memory, room)
    return caller.decide(candidates, similar, known, lambda plan: decide(plan, candidates, known, memory, room))


def _similar(res: Resources, turn: Turn, candidate: Proposed) -> Found:
    text = f"{candidate.summary}\n{candidate.content or ''}".strip()
    return find(res, turn, lambda: text, Filters(), SIMILAR)


def staged_changes(res: Resources, turn: Turn, decisions: Sequence[Decision]) -> tuple[StagedChange, ...]:
    """The changes of a checked plan, with vectors where the embedder answers."""
    changes = [_change(res, turn, number, decision) for number, decision in enumerate(decisions, 1)]
    written = [one.record for one in changes if isinstance(one, StagedAdd) and one.lock is not None]
    try:
        made = iter(embed_records(res.embedder, [record_text(one.summary, one.content) for one in written]))
    except EmbedderUnavailable:
        return tuple(changes)
    model = res.embedder.profile.model

    def with_vector(change: StagedChange) -> StagedChange:
        if not isinstance(change, StagedAdd) or change.lock is None or (vector := next(made)) is None:
            return change
        return replace(change, record=replace(change.record, vector=RecordVector(model, vector.vector)))

    return tuple(with_vector(change) for change in changes)


def _change(res: Resources, turn: Turn, number: int, decision: Decision) -> StagedChange:
    call_id, target = f"review {number}", decision.target
    hides = turn.execution.preview and target is not None and not target.preview
    if decision.proposed is None:
        assert target is not None  # noqa: S101 - a plan's deletion has a target
        if not hides:
            return StagedDelete(call_id, target.memory_id)
        deletion = preview_deletion(res, turn, target, Source.EXTRACTION)
        return StagedAdd(call_id, deletion, None, hides=True)
    record = _record(res, turn, decision.proposed, target)
    return StagedAdd(call_id, record, duplicate_key(record, res.secrets.lock_key), hides)


def _record(res: Resources, turn: Turn, proposed: Proposed, target: Record | None) -> Record:
    """A replacement keeps pin, labels and kind unless the plan sets them."""
    execution, memory = turn.execution, turn.harness.memory
    kept = target.labels if target is not None and proposed.labels is None else None
    summary, content = _SPACE.sub(" ", proposed.summary).strip(), proposed.content or ""
    pinned = target.pinned if target is not None else False
    return Record(
        memory_id=res.ids.uuid7(),
        action_id=execution.action_id,
        summary=summary,
        content=content,
        kind=proposed.kind or (target.kind if target is not None else memory.kinds[0]),
        scope=(scope := scope_of(proposed, target, memory)),
        source=Source.EXTRACTION,
        labels=label_numbers(proposed.labels, memory) if kept is None else kept,
        preview=execution.preview,
        replaces=target.memory_id if target is not None else None,
        execution_id=execution.execution_id,
        invocation_number=turn.attempt.id.number,
        action_version=execution.action_version,
        session_id=target.session_id if target is not None and scope is Scope.SESSION else execution.session_id,
        created="",
        changes=(Change(Status.ACTIVE, pinned, None, turn.now, turn.agent.principal),),
        tokens=index_tokens(summary, content),
        metadata=proposed.metadata or {},
    )
