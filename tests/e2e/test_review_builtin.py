"""What ``builtin`` learns over whole turns, and what stays out of memory (CASES W1–W3, W7, W10–W12, W16, W17)."""

from collections.abc import Iterator

import pytest

from infra.local.system import LocalSystem
from tests.e2e.between import Between, Side
from tests.e2e.conftest import EMBEDDER, connect
from tests.e2e.driver import Agent, FunctionDied, Runtime, harness, new_id


@pytest.fixture(scope="module")
def between() -> Between:
    return Between()


@pytest.fixture(scope="module")
def learning(between: Between) -> Iterator[Runtime]:
    with LocalSystem(
        embedder=EMBEDDER, opensearch=False, review="builtin", functions_dynamodb=between.stand_before
    ) as local:
        between.pids = lambda: local.pools[local.function_name].pids
        yield connect(local.file)
    between.stop()


@pytest.fixture
def agent(learning: Runtime) -> Agent:
    return Agent(learning, harness(search={"mode": "hybrid", "max_results": 50}))


def say(agent: Agent, message: str, session: str = "s", reply: str = "I see.") -> dict[str, object]:
    turn = agent.begin(session, message)
    turn.says(reply)
    return turn.commit()


def test_it_learns_and_the_next_turn_recalls(agent: Agent) -> None:
    say(agent, "Hello! I live in Lisbon. What is the weather?")
    turn = agent.begin("s", "where do I live?")
    assert [one["summary"] for one in turn.recall()["records"]] == ["I live in Lisbon."]


def test_w10_the_newer_value_supersedes_the_older(agent: Agent) -> None:
    say(agent, "My favourite colour is blue.")
    with agent.turn("s") as turn:
        old = turn.listed()[0]["memoryId"]
    say(agent, "My favourite colour is red now.")
    look = agent.begin("s", "what is my favourite colour?")
    assert [one["summary"] for one in look.recall()["records"]] == ["My favourite colour is red now."]
    entry = look.read(old)
    assert (entry["status"], entry["replacedBy"]) == ("SUPERSEDED", look.listed()[0]["memoryId"])


STATEMENTS = [
    "I live in Lisbon.",
    "My sister is a doctor.",
    "I am allergic to peanuts.",
    "We decided to meet on Fridays at 12:45.",
    "I work for a bank in the old town.",
    "Please always answer briefly.",
]


def test_w7_the_same_statements_again_and_again_do_not_pile_up(agent: Agent) -> None:
    for _ in range(4):
        for statement in STATEMENTS:
            say(agent, statement)
    assert sorted(agent.visible("s")) == sorted(STATEMENTS)


def test_w3_the_same_fact_by_tool_and_by_review_is_one_record(agent: Agent) -> None:
    turn = agent.begin("s", "I am allergic to peanuts.")
    added = turn.added("I am allergic to peanuts.")
    result = turn.commit()
    assert [one["memoryId"] for one in result["written"]] == [added["memoryId"]]
    assert say(agent, "I am allergic to peanuts.")["written"] == []
    entry = agent.begin("s").read(added["memoryId"])
    assert (entry["version"], entry["status"]) == (1, "ACTIVE")


def test_w2_w16_what_the_agent_says_or_finds_is_not_learned(agent: Agent) -> None:
    agent.remember("Maya drinks tea")
    turn = agent.begin("s", "what does she drink?")
    block = turn.search("drink").text
    turn.says(f"She drinks tea, says my memory: {block}")
    turn.says("I cannot help with that. I am an assistant and I have my rules.")
    assert turn.commit()["written"] == []


@pytest.mark.parametrize(
    "text",
    ["我住在上海。", "私は京都に住んでいます。", "저는 서울에 살아요.", "أعيش في القاهرة."],
    ids=["zh", "ja", "ko", "ar"],
)
def test_w11_memories_stay_in_their_language(agent: Agent, text: str) -> None:
    say(agent, text)
    assert agent.visible("s") == [text]


def test_w12_a_time_stays_as_it_was_said(agent: Agent) -> None:
    turn = agent.begin("s", "My meeting is at 12:45.", time="2026-12-01T09:00:00+08:00")
    turn.commit()
    assert agent.visible("s") == ["My meeting is at 12:45."]


def test_w17_calls_are_countable(agent: Agent) -> None:
    result = say(agent, "I live in Lisbon.")
    calls = {one["purpose"]: one["calls"] for one in result["usage"]}  # type: ignore[attr-defined]
    assert calls["memory"] <= 2


@pytest.mark.parametrize("side", list(Side))
def test_a_commit_with_a_review_killed_at_any_write_leaves_all_or_nothing(
    agent: Agent, between: Between, side: Side
) -> None:
    number = died = 0
    while True:
        session = new_id()
        live = agent.remember(f"the door {session} is green", session)
        turn = agent.begin(session, "I live in Lisbon.", preview=True)
        turn.delete(live)
        between.kill_at(number, side)
        try:
            turn.commit()
        except FunctionDied:
            died += 1
        survived = between.armed
        between.disarm()
        state = agent.runtime.call("describeTurn", **turn.execution)["status"]
        if state == "OPEN":
            replayed = agent.begin(session)
            assert replayed.listed_summaries() == [f"the door {session} is green"]
            replayed.rollback()
        if survived:
            break
        number += 1
    assert died >= 3
    assert state == "COMMITTED"
    seen = agent.begin(session, preview=True)
    assert seen.listed_summaries() == ["I live in Lisbon."]
