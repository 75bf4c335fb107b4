"""Every path that shows records, held against one predicate written from the page (SPEC §3, §9)."""

from dataclasses import dataclass, replace
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memoir.domain.record import Change, Record, Scope, Status
from memoir.protocol import BeginTurn, CallTool, Recall, RegisterAgent
from memoir.services.begin_turn import begin_turn
from memoir.services.call_tool import call_tool
from memoir.services.recall import recall
from memoir.services.register_agent import register_agent
from tests.builders import AGENT, NOW, harness, record, resources
from tests.fakes import FakeRecords

EXECUTION = "00000000-0000-4000-9000-00000000000a"
SESSIONS = ("s", "t")


@dataclass(frozen=True)
class Facts:
    """What decides who sees a record."""

    scope: Scope
    session: str
    status: Status
    preview: bool
    foreign: bool
    hides: bool
    """Whether it is a preview record that names the record before it."""


@dataclass(frozen=True)
class Looker:
    """What decides what a turn sees."""

    session: str
    read: tuple[str, ...]
    preview: bool


facts = st.builds(
    Facts,
    scope=st.sampled_from(Scope),
    session=st.sampled_from(SESSIONS),
    status=st.sampled_from(Status),
    preview=st.booleans(),
    foreign=st.booleans(),
    hides=st.booleans(),
)
lookers = st.builds(
    Looker,
    session=st.sampled_from(SESSIONS),
    read=st.sampled_from([("session",), ("agent",), ("session", "agent")]),
    preview=st.booleans(),
)


def may_read(one: Facts, looker: Looker, hidden: bool) -> bool:
    """The page: scopes that the turn reads; preview records for preview turns only, which miss what those name."""
    within = looker.session == one.session if one.scope is Scope.SESSION else True
    in_scope = within and one.scope.value.lower() in looker.read
    return not one.foreign and in_scope and (looker.preview or not one.preview) and not (looker.preview and hidden)


def stored(several: list[Facts]) -> tuple[FakeRecords, list[Record], set[str]]:
    """The records as a table has them, and those that a preview record names."""
    records, hidden = FakeRecords(), set[str]()
    made: list[Record] = []
    for number, one in enumerate(several):
        before = made[-1] if made and one.hides and one.preview else None
        named = before is not None and not before.preview and before.action_id == AGENT and not one.foreign
        changes = [Change(Status.ACTIVE, False, None, NOW, "u")]
        if one.status is not Status.ACTIVE:
            changes.append(Change(one.status, False, None, NOW, "u"))
        new = record(
            f"wombat {number}",
            memory_id=f"00000000-0000-7000-8000-{number:012x}",
            action_id="00000000-0000-4000-8000-0000000000ff" if one.foreign else AGENT,
            scope=one.scope,
            session_id=one.session,
            preview=one.preview,
            replaces=before.memory_id if before and named else None,
            changes=tuple(changes),
        )
        if before and named:
            hidden.add(before.memory_id)
            records.shadows.setdefault(AGENT, {})[before.memory_id] = new.memory_id
        made.append(new)
        records.records[new.action_id, new.memory_id] = new
    return records, made, hidden


def seen_by_paths(records: FakeRecords, looker: Looker, ids: list[str]) -> tuple[dict[str, set[str]], set[str]]:
    """What each finding path shows, and what ``read_memory`` reads."""
    res = replace(resources(), records=records)
    config: dict[str, Any] = harness()
    config["memory"] |= {
        "scope": {"read": [*looker.read], "write": [*looker.read]},
        "search": {"mode": "lexical", "max_results": 50},
    }
    register_agent(res, RegisterAgent(operation="registerAgent", action_id=AGENT, name="desk", harness=config))
    me: dict[str, Any] = {"execution_id": EXECUTION, "invocation_number": 1}
    common: dict[str, Any] = {"action_id": AGENT, "session_id": looker.session, "principal": "u", "message": "hi"}
    begin_turn(res, BeginTurn(operation="beginTurn", preview=looker.preview, **common, **me))

    def call(name: str, **given: Any) -> Any:
        number = f"{name} {given}"[:200]
        return call_tool(res, CallTool(operation="callTool", call_id=number, name=name, input=given, **me))

    def shown(**given: Any) -> set[str]:
        return {entry["memoryId"] for entry in call("search_memory", limit=50, **given).output["sources"]}

    recalled = recall(res, Recall(operation="recall", recall_id="r", text="wombat", **me))
    found = {
        "search": shown(query="wombat"),
        "list": shown(),
        "ids": shown(ids=ids),
        "recall": {one.memory_id for one in recalled.records},
    }
    return found, {one for one in ids if call("read_memory", id=one).status == "COMPLETED"}


@given(several=st.lists(facts, min_size=1, max_size=8), looker=lookers)
@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])
def test_every_path_shows_what_the_page_says(several: list[Facts], looker: Looker) -> None:
    records, made, hidden = stored(several)
    readable = {
        new.memory_id for one, new in zip(several, made, strict=True) if may_read(one, looker, new.memory_id in hidden)
    }
    expected = {new.memory_id for new in made if new.memory_id in readable and new.status is Status.ACTIVE}
    found, read = seen_by_paths(records, looker, [new.memory_id for new in made])
    assert found == dict.fromkeys(found, expected)
    assert read == readable
