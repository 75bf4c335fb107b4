"""Turns of a session: numbers, one open at a time, retries, ends (SPEC §4)."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.e2e.driver import Agent, Json, Refused, Runtime, Turn, harness, ids, new_id

CALLS: dict[str, Json] = {
    "recall": {"recallId": "new", "text": "she sails"},
    "callTool": {"callId": "new", "name": "search_memory", "input": {}},
    "appendEvents": {"appendId": "new", "events": [{"type": "reply", "text": "late"}]},
}


def calls_after_the_end() -> list[str]:
    return [*CALLS, "commitTurn", "rollbackTurn"]


def test_turns_of_a_session_are_numbered_from_1(agent: Agent) -> None:
    numbers = []
    for _ in range(3):
        with agent.turn("a") as turn:
            numbers.append(turn.begun["turn"])
    with agent.turn("b") as turn:
        numbers.append(turn.begun["turn"])
    assert numbers == [1, 2, 3, 1]


def test_a_rolled_back_turn_keeps_its_number(agent: Agent) -> None:
    agent.begin().rollback()
    assert agent.begin().begun["turn"] == 2


def test_a_retry_keeps_the_number_also_when_later_turns_were_begun(agent: Agent) -> None:
    first = agent.begin()
    first.rollback()
    with agent.turn() as second:
        assert second.begun["turn"] == 2
    assert first.retry().begun["turn"] == 1


def test_an_agent_with_sessions_needs_one_and_one_without_has_none(runtime: Runtime, agent: Agent) -> None:
    with pytest.raises(Refused) as missing:
        agent.begin(None)
    assert (missing.value.code, missing.value.path) == ("BAD_REQUEST", "sessionId")
    sessionless = Agent(runtime, {"sessions": False, **harness(scope={"read": ["agent"], "write": ["agent"]})})
    with pytest.raises(Refused) as extra:
        sessionless.begin("s")
    assert (extra.value.code, extra.value.path) == ("BAD_REQUEST", "sessionId")
    assert sessionless.begin(None).begun["turn"] is None


# One open live turn per session.


def test_a_second_turn_of_the_session_is_told_who_holds_it_and_to_try_again(agent: Agent) -> None:
    holder = agent.begin()
    with pytest.raises(Refused) as caught:
        agent.begin()
    assert caught.value.code == "SESSION_BUSY"
    assert caught.value.retriable
    assert holder.execution_id in caught.value.message
    assert holder.describe()["status"] == "OPEN"


def test_a_busy_session_leaves_other_sessions_free(agent: Agent) -> None:
    assert [agent.begin(name).begun["turn"] for name in ("a", "b", "A")] == [1, 1, 1]


@pytest.mark.parametrize("end", [Turn.commit, Turn.rollback], ids=["commit", "roll-back"])
def test_the_session_is_free_after_the_end_of_its_turn(agent: Agent, end: Callable[[Turn], Json]) -> None:
    end(agent.begin())
    assert agent.begin().begun["turn"] == 2


def test_a_refused_begin_takes_no_number(agent: Agent) -> None:
    holder = agent.begin()
    execution = new_id()
    with pytest.raises(Refused, match="SESSION_BUSY"):
        agent.begin(executionId=execution)
    assert agent.runtime.refusal("describeTurn", executionId=execution, invocationNumber=1).code == "NOT_FOUND"
    holder.commit()
    assert agent.begin(executionId=execution).begun["turn"] == 2


def test_of_many_turns_begun_at_once_one_gets_the_session(agent: Agent) -> None:
    def begin(_: int) -> str:
        try:
            return agent.begin().execution_id
        except Refused as refusal:
            return refusal.code

    with ThreadPoolExecutor(6) as pool:
        outcomes = list(pool.map(begin, range(6)))
    winners = [outcome for outcome in outcomes if outcome != "SESSION_BUSY"]
    assert len(winners) == 1
    assert agent.describe_session()["executionId"] == winners[0]


def test_turns_without_sessions_run_side_by_side(runtime: Runtime) -> None:
    agent = Agent(runtime, {"sessions": False, **harness(scope={"read": ["agent"], "write": ["agent"]})})
    first, second = agent.begin(None), agent.begin(None)
    one, two = first.add("one"), second.add("two")
    assert ids(first.listed()) == [one]
    assert ids(second.listed()) == [two]
    first.commit()
    assert set(ids(second.listed())) == {one, two}
    second.commit()


# Retries.


def test_beginning_the_next_invocation_abandons_the_one_before(agent: Agent) -> None:
    first = agent.begin()
    first.add("said by the first attempt")
    second = first.retry()
    assert first.describe()["status"] == "ABANDONED"
    for operation, fields in CALLS.items():
        assert first.refusal(operation, **fields).code == "TURN_ABANDONED"
    assert first.refusal("commitTurn").code == "TURN_ABANDONED"
    assert second.describe()["status"] == "OPEN"
    assert agent.describe_session()["invocationNumber"] == 2
    second.commit()
    assert agent.visible() == []


def test_a_committed_turn_has_no_next_invocation(agent: Agent) -> None:
    turn = agent.begin()
    kept = turn.add("she sails")
    turn.commit()
    with pytest.raises(Refused) as caught:
        turn.retry()
    assert caught.value.code == "TURN_ENDED"
    with agent.turn() as later:
        assert ids(later.listed()) == [kept]


@pytest.mark.parametrize("number", [2, 3])
def test_invocations_are_numbered_without_gaps(agent: Agent, number: int) -> None:
    with pytest.raises(Refused) as caught:
        agent.begin(invocationNumber=number)
    assert (caught.value.code, caught.value.path) == ("BAD_REQUEST", "invocationNumber")
    first = agent.begin()
    first.rollback()
    with pytest.raises(Refused, match="invocationNumber"):
        first.retry(invocationNumber=3)
    assert first.retry().begun["turn"] == 1


def test_a_retry_waits_for_the_turn_that_holds_the_session(agent: Agent) -> None:
    first = agent.begin()
    first.rollback()
    holder = agent.begin()
    with pytest.raises(Refused, match="SESSION_BUSY"):
        first.retry()
    holder.commit()
    assert first.retry().begun["turn"] == 1


def test_many_retries_at_once_of_one_turn_are_one_invocation(agent: Agent) -> None:
    first = agent.begin()
    first.rollback()
    with ThreadPoolExecutor(4) as pool:
        begun = list(pool.map(lambda _: first.retry().begun, range(4)))
    assert begun == [begun[0]] * 4


# After the end.


def test_after_a_commit_every_new_call_is_refused(agent: Agent) -> None:
    turn = agent.begin()
    turn.commit()
    before = turn.describe()
    for operation in calls_after_the_end():
        if operation != "commitTurn":
            error = turn.refusal(operation, **CALLS.get(operation, {}))
            assert error.code == "TURN_ENDED", operation
            assert not error.retriable
    assert turn.describe() == before


def test_after_a_roll_back_every_new_call_is_refused(agent: Agent) -> None:
    turn = agent.begin()
    turn.rollback(reason="the model failed")
    before = turn.describe()
    assert (before["status"], before["reason"]) == ("ROLLED_BACK", "the model failed")
    for operation in calls_after_the_end():
        if operation != "rollbackTurn":
            assert turn.refusal(operation, **CALLS.get(operation, {})).code == "TURN_ENDED", operation
    assert turn.describe() == before


def test_a_conflict_rolls_the_turn_back_and_frees_its_session(agent: Agent) -> None:
    shared = agent.remember("refunds take five days", scope="agent")
    first, second = agent.begin("a"), agent.begin("b")
    first.add("refunds take four days", scope="agent", replaces=shared)
    lost = second.add("refunds take three days", scope="agent", replaces=shared)
    second.add("b alone knows this")
    first.commit()
    for _ in range(2):
        error = second.refusal("commitTurn")
        assert error.code == "CONFLICT"
        assert shared in error.message
    assert second.describe()["status"] == "ROLLED_BACK"
    retried = second.retry()
    assert retried.begun["turn"] == 1
    assert retried.listed_summaries() == ["refunds take four days"]
    assert retried.search(ids=[lost]).output["missing"] == [lost]


def test_deleting_what_another_turn_replaced_meanwhile_loses_no_correction(agent: Agent) -> None:
    shared = agent.remember("refunds take five days", scope="agent")
    first, second = agent.begin("a"), agent.begin("b")
    new = first.add("refunds take four days", scope="agent", replaces=shared)
    second.delete(shared)
    first.commit()
    second.reply("commitTurn")
    with agent.turn("c") as turn:
        assert ids(turn.listed()) == [new]
        assert turn.read(shared)["replacedBy"] == new


# What the runtime is told.


def test_an_execution_belongs_to_one_agent_and_one_session(runtime: Runtime, agent: Agent) -> None:
    turn = agent.begin("a")
    turn.rollback()
    other = Agent(runtime)
    for owner, session in ((other, "a"), (agent, "b")):
        with pytest.raises(Refused) as caught:
            owner.begin(session, executionId=turn.execution_id, invocationNumber=2)
        assert caught.value.code in {"ID_REUSED", "NOT_FOUND"}


def test_tokens_differ_by_attempt(agent: Agent) -> None:
    first = agent.begin()
    second = first.retry()
    assert first.begun["executionToken"] != second.begun["executionToken"]
