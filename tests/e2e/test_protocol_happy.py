"""The protocol's main road, as another project's script walks it (SPEC §4; the issue's "It is done when")."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.e2e.driver import Agent, Refused, Runtime, harness, ids, lexical, new_id


def test_an_agent_registers_and_begins_its_first_turn(runtime: Runtime) -> None:
    agent = Agent(runtime)
    assert agent.version == 1
    with agent.turn("ticket 1", "my seat is broken") as turn:
        assert turn.begun["turn"] == 1
        assert turn.begun["version"] == 1
        assert isinstance(turn.begun["instructions"], str)
        assert turn.begun["executionToken"]
        assert {tool["name"] for tool in turn.begun["tools"]} == {
            "search_memory", "add_memory", "read_memory", "delete_memory",
        }  # fmt: skip


def test_a_session_record_is_found_by_its_own_session_only(agent: Agent) -> None:
    agent.remember("the customer prefers aisle seats", session="ticket 1")
    assert agent.visible("ticket 1") == ["the customer prefers aisle seats"]
    assert agent.visible("ticket 2") == []


def test_an_agent_record_is_found_by_every_session(agent: Agent) -> None:
    agent.remember("refunds take five days", session="ticket 1", scope="agent")
    assert agent.visible("ticket 1") == ["refunds take five days"]
    assert agent.visible("ticket 2") == ["refunds take five days"]


def test_a_replaced_record_gives_way_to_its_successor(agent: Agent) -> None:
    old = agent.remember("the customer lives in Bergen")
    with agent.turn() as turn:
        new = turn.add("the customer lives in Oslo", replaces=old)
        result = turn.commit()
    assert ids(result["written"]) == [new]
    assert ids(result["replaced"]) == [old]
    assert result["replaced"][0]["status"] == "SUPERSEDED"
    assert result["replaced"][0]["replacedBy"] == new
    with agent.turn() as turn:
        assert ids(turn.listed()) == [new]
        assert turn.read(old)["replacedBy"] == new
        assert turn.read(new)["replaces"] == old


def test_a_deleted_record_leaves_every_search_and_stays_readable(agent: Agent) -> None:
    gone = agent.remember("the customer owns a boat")
    with agent.turn() as turn:
        assert turn.delete(gone)["status"] == "DELETED"
        result = turn.commit()
    assert ids(result["deleted"]) == [gone]
    with agent.turn() as turn:
        assert turn.listed() == []
        assert turn.search("boat").ids == []
        assert turn.search(ids=[gone]).output["missing"] == [gone]
        assert turn.recall("boat")["records"] == []
        assert turn.read(gone)["status"] == "DELETED"


def test_a_list_comes_in_pages_newest_first(agent: Agent) -> None:
    seeded = agent.seed([f"fact number {n}" for n in range(5)])
    with agent.turn() as turn:
        pages = [ids(page) for page in turn.walk(limit=2)]
    newest_first = sorted(seeded, reverse=True)
    assert pages == [newest_first[:2], newest_first[2:4], newest_first[4:]]


def test_a_search_finds_by_word(runtime: Runtime) -> None:
    agent = Agent(runtime, lexical())
    agent.seed(["the parcel waits at the depot", "the invoice is overdue", "she plays the cello"])
    with agent.turn() as turn:
        assert turn.found("invoices") == ["the invoice is overdue"]


def test_a_search_finds_by_meaning(runtime: Runtime) -> None:
    agent = Agent(runtime, harness(search={"mode": "vector"}))
    agent.seed(
        ["the customer is allergic to peanuts", "the invoice of March is overdue", "she plays the cello on Fridays"]
    )
    with agent.turn() as turn:
        assert turn.found("allergies")[0] == "the customer is allergic to peanuts"


def test_a_search_finds_by_code(agent: Agent) -> None:
    agent.seed(["order ZX-99417-QP was shipped", "order ZX-99417-QR was returned", "an order was lost"])
    with agent.turn() as turn:
        assert turn.found("where is ZX-99417-QP?")[0] == "order ZX-99417-QP was shipped"


def test_a_rolled_back_turn_leaves_nothing(agent: Agent) -> None:
    kept = agent.remember("the customer lives in Bergen")
    turn = agent.begin()
    added = turn.add("the customer owns a boat")
    replacing = turn.add("the customer lives in Oslo", replaces=kept)
    assert turn.rollback(reason="the model failed")["status"] == "ROLLED_BACK"
    with agent.turn() as later:
        assert ids(later.listed()) == [kept]
        assert later.read(kept)["version"] == 1
        assert later.search(ids=[added, replacing]).output["missing"] == [added, replacing]
        later.refused("read_memory", id=added)


def test_a_retry_is_the_next_invocation_and_starts_from_nothing(agent: Agent) -> None:
    first = agent.begin(message="remember my seat")
    lost = first.add("said by the failed attempt")
    first.rollback()
    second = first.retry()
    assert second.begun["turn"] == first.begun["turn"] == 1
    assert second.listed() == []
    kept = second.add("said by the second attempt")
    second.commit()
    with agent.turn() as turn:
        assert turn.begun["turn"] == 2
        assert ids(turn.listed()) == [kept]
        assert turn.search(ids=[lost]).output["missing"] == [lost]


def test_committing_twice_gives_the_same_answer_and_writes_once(agent: Agent) -> None:
    turn = agent.begin()
    turn.add("the customer owns a boat")
    first = turn.commit()
    assert turn.commit() == first
    assert agent.visible() == ["the customer owns a boat"]


def test_two_overlapping_commits_are_one_commit(agent: Agent) -> None:
    for round_number in range(2):
        turn = agent.begin(f"session {round_number}")
        for n in range(3):
            turn.add(f"fact {n} of round {round_number}")
        with ThreadPoolExecutor(4) as pool:
            results = list(pool.map(lambda t: t.call("commitTurn"), [turn] * 4))
        assert len(results[0]["written"]) == 3
        assert results == [results[0]] * 4
        assert len(agent.visible(f"session {round_number}")) == 3


def test_a_turn_describes_itself_while_open_and_after_its_commit(agent: Agent) -> None:
    turn = agent.begin("desk")
    added = turn.add("the customer owns a boat")
    state = turn.describe()
    assert agent.describe_session("desk") == {**state, "lastCall": agent.describe_session("desk")["lastCall"]}
    assert state["status"] == "OPEN"
    assert (state["actionId"], state["sessionId"], state["turn"], state["version"]) == (agent.id, "desk", 1, 1)
    assert (state["executionId"], state["invocationNumber"]) == (turn.execution_id, 1)
    assert [(s["tool"], s["memoryId"]) for s in state["staged"]] == [("add_memory", added)]
    result = turn.commit()
    after = turn.describe()
    assert after["status"] == "COMMITTED"
    assert after["result"] == result
    with pytest.raises(Refused, match="NOT_FOUND"):
        agent.describe_session("desk")


def test_unused_ids_are_unknown_to_describe(runtime: Runtime) -> None:
    assert runtime.refusal("describeTurn", executionId=new_id(), invocationNumber=1).code == "NOT_FOUND"
