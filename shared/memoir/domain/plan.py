"""What a review model answers: candidates, then a plan, each checked whole before anything is staged (SPEC §7).

The rules, one message each: at most ``MAX_ITEMS`` items; only handles that the model was shown, each at most once; a
replacement and a deletion name a target in a scope that the agent writes; a record has a summary and content within
their limits, a declared kind, declared labels, and a scope that the agent writes; a session record replaces no agent
record; metadata is an object of at most 2 KiB.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, TypeVar

from pydantic import Field, JsonValue, ValidationError

from memoir.domain.config import MemoryConfig, ScopeName
from memoir.domain.errors import ReviewFault, ToolRefused
from memoir.domain.faults import describe_faults, faults_of
from memoir.domain.model import DocumentModel
from memoir.domain.record import Record, Scope, label_value_fault, text_faults
from memoir.domain.text import byte_length
from memoir.domain.tools import check_kind, label_numbers

MAX_ITEMS = 20
METADATA_BYTES = 2_048
MAX_ANSWER = 400_000
"""Characters of an answer that are read: more than twenty records of the largest size."""
_OPEN = re.compile(r"[\[{]")
M = TypeVar("M", bound=DocumentModel)


class Action(StrEnum):
    """What a plan does with a candidate."""

    ADD = "add"
    REPLACE = "replace"
    DELETE = "delete"
    SKIP = "skip"


class Proposed(DocumentModel):
    """A record as the model proposes it; ``kind`` may be left out where it replaces one."""

    summary: str = ""
    content: str | None = None
    kind: str | None = None
    labels: dict[str, str] | None = None
    scope: ScopeName | None = None
    metadata: dict[str, JsonValue] | None = None


class Candidates(DocumentModel):
    """What is worth remembering."""

    candidates: Annotated[tuple[Proposed, ...], Field(max_length=MAX_ITEMS)]


class PlanItem(DocumentModel):
    """What to do with one candidate."""

    action: Action
    candidate: int | None = None
    target: str | None = None
    record: Proposed | None = None
    reason: str | None = None


class Plan(DocumentModel):
    """One item a candidate."""

    plan: Annotated[tuple[PlanItem, ...], Field(max_length=MAX_ITEMS)]


@dataclass(frozen=True, slots=True)
class Decision:
    """A checked item: write ``proposed`` (``None``: delete), in place of ``target`` or new."""

    proposed: Proposed | None
    target: Record | None


def parse_answer(model: type[M], text: str) -> M:
    """Find the JSON in what a model answered: bare, fenced, after prose, or as the bare list.

    A list counts only where no object was cut off before it, so that a part of an answer is never taken for the whole.

    Raises:
        ReviewFault: There is none, or it is no such answer.
    """
    (key,) = model.model_fields
    fault = "it holds no JSON"
    if len(text) > MAX_ANSWER:
        raise ReviewFault(f"the model's answer has {len(text)} characters; at most {MAX_ANSWER} are read")
    objects, bare = _values(text)
    for value in [one for one in objects if key in one] or [{key: one} for one in bare]:
        try:
            return model.model_validate_json(json.dumps(value))
        except ValidationError as exc:
            fault = describe_faults(faults_of(exc, prefix=key))
    raise ReviewFault(f"the model's answer is not as asked: {fault}"[:1_000])


def _values(text: str) -> tuple[list[dict[str, JsonValue]], list[list[JsonValue]]]:
    """The JSON objects of a text, and its lists that stand before anything that was cut off."""
    decoder, position, whole = json.JSONDecoder(), 0, True
    objects: list[dict[str, JsonValue]] = []
    bare: list[list[JsonValue]] = []
    while match := _OPEN.search(text, position):
        try:
            value, position = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            position, whole = match.end(), False
            continue
        if isinstance(value, dict):
            objects.append(value)
        elif whole:
            bare.append(value)
    return objects, bare


def decide(
    plan: Plan, candidates: tuple[Proposed, ...], shown: Mapping[str, Record], memory: MemoryConfig, room: int
) -> tuple[Decision, ...]:
    """Check a whole plan against the rules.

    Args:
        plan: As the model answered.
        candidates: Numbered from 1.
        shown: Memories by the handle under which the model saw them.
        memory: The agent's configuration.
        room: Changes that the turn may still make.

    Raises:
        ReviewFault: A rule is broken; nothing of the plan holds.
    """
    made: list[Decision] = []
    used: set[str] = set()
    for number, item in enumerate(plan.plan, 1):
        if item.action is Action.SKIP:
            continue
        target = _target(item, shown, memory, used, number)
        if item.action is Action.DELETE:
            made.append(Decision(None, target))
            continue
        proposed = item.record if item.record is not None else _candidate(item, candidates, number)
        made.append(Decision(check(proposed, target, memory, number), target))
    if len(made) > room:
        raise ReviewFault(f"the plan changes {len(made)} records, but the turn has room for {room}")
    return tuple(made)


def _target(
    item: PlanItem, shown: Mapping[str, Record], memory: MemoryConfig, used: set[str], number: int
) -> Record | None:
    if item.action is Action.ADD:
        return None
    if item.target is None or item.target not in shown:
        raise ReviewFault(f"item {number} names no memory that the model was shown")
    record = shown[item.target]
    if record.memory_id in used:
        raise ReviewFault(f"item {number} names {item.target} for a second time")
    if record.scope.config_name not in memory.writes:
        raise ReviewFault(f"item {number} changes a record of a scope that the agent does not write")
    used.add(record.memory_id)
    return record


def _candidate(item: PlanItem, candidates: tuple[Proposed, ...], number: int) -> Proposed:
    if item.candidate is None or not 1 <= item.candidate <= len(candidates):
        raise ReviewFault(f"item {number} has neither a record nor the number of a candidate")
    return candidates[item.candidate - 1]


def check(proposed: Proposed, target: Record | None, memory: MemoryConfig, number: int) -> Proposed:
    """Check one proposed record.

    Raises:
        ReviewFault: It breaks a rule.
    """
    faults = text_faults(proposed.summary, proposed.content or "")
    if proposed.kind is None and target is None:
        faults.append("kind is missing")
    try:
        check_kind(proposed.kind, memory)
        label_numbers(proposed.labels, memory)
    except ToolRefused as refused:
        faults.append(refused.message)
    faults += [f for name, value in (proposed.labels or {}).items() if (f := label_value_fault(name, value))]
    scope = scope_of(proposed, target, memory)
    if scope.config_name not in memory.writes:
        faults.append(f"the agent may not write {scope.config_name.value} scope")
    if target is not None and scope is Scope.SESSION and target.scope is Scope.AGENT:
        faults.append("a session record would hide an agent record from every other session")
    if byte_length(json.dumps(proposed.metadata or {}, ensure_ascii=False)) > METADATA_BYTES:
        faults.append(f"metadata is over {METADATA_BYTES} bytes")
    if faults:
        raise ReviewFault(f"item {number}: {'; '.join(faults)}")
    return proposed


def scope_of(proposed: Proposed, target: Record | None, memory: MemoryConfig) -> Scope:
    """The scope of a proposed record: as it says, else the target's, else the session's where the agent writes it."""
    if proposed.scope is not None:
        return Scope(proposed.scope.value.upper())
    if target is not None:
        return target.scope
    return Scope.SESSION if ScopeName.SESSION in memory.writes else Scope.AGENT
