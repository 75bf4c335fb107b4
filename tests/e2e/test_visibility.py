"""Who sees what: a turn its own writes, nobody else's before the commit (SPEC §3, §4)."""

from collections.abc import Callable

import pytest

from tests.e2e.driver import Agent, Runtime, Turn, ids, lexical, new_id


def by_search(turn: Turn, memory_id: str) -> bool:
    return memory_id in turn.search("wombat").ids


def by_list(turn: Turn, memory_id: str) -> bool:
    return memory_id in ids(turn.listed())


def by_ids(turn: Turn, memory_id: str) -> bool:
    reply = turn.search(ids=[memory_id])
    assert [*reply.ids, *reply.output["missing"]] == [memory_id]
    return reply.ids == [memory_id]


def by_recall(turn: Turn, memory_id: str) -> bool:
    recalled = turn.recall("wombat")
    assert (memory_id in recalled["block"]) == (memory_id in ids(recalled["records"]))
    return memory_id in ids(recalled["records"])


def by_read(turn: Turn, memory_id: str) -> bool:
    return turn.tool("read_memory", id=memory_id).status == "COMPLETED"


PATHS = [by_search, by_list, by_ids, by_recall, by_read]


@pytest.mark.parametrize("sees", PATHS)
def test_a_turn_sees_its_own_writes_and_nobody_else_does(words: Agent, sees: Callable[[Turn, str], bool]) -> None:
    writer, reader = words.begin("a"), words.begin("b")
    added = writer.add("the wombat digs", scope="agent")
    assert sees(writer, added)
    assert not sees(reader, added)
    writer.commit()
    assert sees(reader, added), "shortly after the commit, other sessions see it"


@pytest.mark.parametrize("sees", PATHS)
def test_the_next_turn_of_the_session_sees_what_was_committed(words: Agent, sees: Callable[[Turn, str], bool]) -> None:
    added = words.remember("the wombat digs")
    assert sees(words.begin(), added)


@pytest.mark.parametrize("sees", PATHS)
def test_nobody_sees_what_was_rolled_back_or_abandoned(words: Agent, sees: Callable[[Turn, str], bool]) -> None:
    rolled_back, abandoned = words.begin("a"), words.begin("b")
    gone = [turn.add(f"wombat {n}", scope="agent") for n, turn in enumerate((rolled_back, abandoned))]
    rolled_back.rollback()
    retried = abandoned.retry()
    for turn in (retried, words.begin("a"), words.begin("c")):
        assert [sees(turn, memory_id) for memory_id in gone] == [False, False]


@pytest.mark.parametrize("sees", PATHS[:-1])
def test_a_staged_deletion_or_correction_hides_the_record_from_its_own_turn_only(
    words: Agent, sees: Callable[[Turn, str], bool]
) -> None:
    deleted, replaced = words.remember("wombat one", scope="agent"), words.remember("wombat two", scope="agent")
    writer, reader = words.begin("a"), words.begin("b")
    writer.delete(deleted)
    new = writer.add("wombat three", scope="agent", replaces=replaced)
    assert [sees(writer, i) for i in (deleted, replaced, new)] == [False, False, True]
    assert [sees(reader, i) for i in (deleted, replaced, new)] == [True, True, False]
    writer.commit()
    assert [sees(reader, i) for i in (deleted, replaced, new)] == [False, False, True]


def test_a_staged_change_shows_in_the_turns_own_reading(words: Agent) -> None:
    old = words.remember("wombat one")
    turn = words.begin()
    new = turn.add("wombat two", replaces=old)
    assert (turn.read(old)["status"], turn.read(old)["version"], turn.read(old)["replacedBy"]) == ("SUPERSEDED", 2, new)
    turn.delete(new)
    assert (turn.read(new)["status"], turn.read(new)["version"]) == ("DELETED", 2)
    turn.rollback()
    assert words.begin().read(old)["status"] == "ACTIVE"


@pytest.mark.parametrize("sees", PATHS)
def test_another_sessions_record_is_out_of_reach(words: Agent, sees: Callable[[Turn, str], bool]) -> None:
    other = words.remember("the wombat digs", session="a")
    turn = words.begin("b")
    words.remember("a wombat of c", session="c")
    assert not sees(turn, other)


@pytest.mark.parametrize("sees", PATHS)
def test_another_agents_record_is_out_of_reach(
    runtime: Runtime, words: Agent, sees: Callable[[Turn, str], bool]
) -> None:
    other = Agent(runtime, lexical())
    foreign = [other.remember("the wombat digs"), other.remember("a shared wombat", scope="agent")]
    turn = words.begin("s")
    assert [sees(turn, memory_id) for memory_id in foreign] == [False, False]


@pytest.mark.parametrize("tool", ["read_memory", "delete_memory", "add_memory"])
def test_a_record_out_of_reach_answers_exactly_as_an_unknown_id(runtime: Runtime, words: Agent, tool: str) -> None:
    other_agent = Agent(runtime, lexical())
    out_of_reach = [
        words.remember("the wombat digs", session="a"),
        other_agent.remember("the wombat digs"),
        other_agent.remember("a shared wombat", scope="agent"),
        words.begin("staged elsewhere").add("a staged wombat", scope="agent"),
    ]
    turn = words.begin("s")

    def answer(memory_id: str) -> str:
        given = {"summary": "x", "kind": "fact", "replaces": memory_id} if tool == "add_memory" else {"id": memory_id}
        return turn.refused(tool, **given).replace(memory_id, "X")

    assert {answer(memory_id) for memory_id in out_of_reach} == {answer(new_id())}


def test_a_record_out_of_reach_is_neither_changed_nor_named(runtime: Runtime, words: Agent) -> None:
    kept = words.remember("the wombat digs", session="a")
    with words.turn("b") as turn:
        turn.refused("delete_memory", id=kept)
        message = turn.refused("add_memory", summary="the wombat sleeps", kind="fact", replaces=kept)
        assert "digs" not in message
        mine = turn.add("the wombat digs")
    assert mine != kept
    with words.turn("a") as turn:
        assert turn.read(kept)["version"] == 1


def test_an_attempt_is_reached_through_its_own_execution_only(runtime: Runtime, words: Agent) -> None:
    turn = words.begin()
    assert runtime.refusal("describeTurn", actionId=new_id(), sessionId="s").code == "NOT_FOUND"
    assert runtime.refusal("describeTurn", actionId=Agent(runtime).id, sessionId="s").code == "NOT_FOUND"
    assert words.describe_session()["executionId"] == turn.execution_id


NAMES = [
    "a", "b", "a#b", "a/b", "*", "a*", "S", "A#x", "%23", "-", " ", "..", "a#S", "日本", "caf\u00e9", "cafe\u0301",
    "Caf\u00e9", "caf\u00e9 ",
]  # fmt: skip


def test_a_session_name_is_data_compared_byte_for_byte_and_reaches_no_other_session(words: Agent) -> None:
    own = {name: words.remember(f"wombat of {name!r}", session=name) for name in NAMES}
    for name in NAMES:
        turn = words.begin(name)
        assert turn.begun["turn"] == 2
        assert ids(turn.listed()) == turn.search("wombat").ids == ids(turn.recall("wombat")["records"]) == [own[name]]


def test_an_agent_without_sessions_keeps_apart_from_a_session_named_like_its_place(runtime: Runtime) -> None:
    shared = {"read": ["agent"], "write": ["agent"]}
    sessionless = Agent(runtime, {"sessions": False, **lexical(scope=shared)})
    kept = sessionless.remember("the wombat digs", session=None)
    sessionless.register(lexical())
    turn = sessionless.begin("-")
    assert turn.begun["turn"] == 1
    assert ids(turn.listed()) == [kept]
    own = turn.add("a wombat of this session")
    turn.commit()
    assert ids(sessionless.begin("a").listed()) == [kept]
    assert set(ids(sessionless.begin("-").listed())) == {kept, own}
