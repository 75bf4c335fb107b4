"""Every operation is idempotent for ever, and one id never has two contents (SPEC §4)."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.e2e.driver import Agent, Json, Refused, Turn, ids, new_id


def same_twice(turn: Turn, operation: str, **fields: object) -> Json:
    first = turn.call(operation, **fields)
    assert turn.call(operation, **fields) == first
    return first


def test_beginning_again_gives_the_same_answer_also_after_the_end(agent: Agent) -> None:
    turn = agent.begin(time="2026-12-01T09:30:00+08:00")
    assert agent.runtime.call("beginTurn", **turn.request) == turn.begun
    turn.commit()
    assert agent.runtime.call("beginTurn", **turn.request) == turn.begun
    assert turn.describe()["status"] == "COMMITTED"


def test_beginning_again_after_a_later_version_gives_the_same_answer(agent: Agent) -> None:
    turn = agent.begin()
    agent.register({"memory": {"enabled": True}})
    assert agent.runtime.call("beginTurn", **turn.request) == turn.begun


@pytest.mark.parametrize(
    "other", [{"message": "another"}, {"principal": "user:else"}, {"sessionId": "b"}, {"time": "2026-12-01T09:30:00Z"}]
)
def test_an_invocation_is_not_begun_with_other_content(agent: Agent, other: Json) -> None:
    turn = agent.begin("a")
    error = agent.runtime.refusal("beginTurn", **{**turn.request, **other})
    assert error.code == "ID_REUSED"
    assert turn.describe()["status"] == "OPEN"


def test_a_retry_with_another_message_is_another_content(agent: Agent) -> None:
    turn = agent.begin(message="one")
    turn.rollback()
    with pytest.raises(Refused) as caught:
        turn.retry(message="two")
    assert caught.value.code == "ID_REUSED"


def test_an_add_again_is_one_record_also_after_the_commit(words: Agent) -> None:
    call = {"callId": "c", "name": "add_memory", "input": {"summary": "she sails", "kind": "fact"}}
    turn = words.begin()
    first = same_twice(turn, "callTool", **call)
    assert len(turn.describe()["staged"]) == 1
    turn.commit()
    again = turn.call("callTool", **call)
    assert (again["status"], again["executionId"]) == (first["status"], first["executionId"])
    assert ids(again["output"]["memories"]) == ids(first["output"]["memories"])
    assert words.visible() == ["she sails"]


def test_a_delete_again_gives_the_same_answer(words: Agent) -> None:
    kept = words.remember("she sails")
    turn = words.begin()
    same_twice(turn, "callTool", callId="c", name="delete_memory", input={"id": kept})
    assert len(turn.describe()["staged"]) == 1
    assert len(turn.commit()["deleted"]) == 1


def test_a_failed_call_again_fails_again_even_if_it_would_now_succeed(words: Agent) -> None:
    turn = words.begin()
    lost = {"callId": "c", "name": "read_memory", "input": {"id": new_id()}}
    assert same_twice(turn, "callTool", **lost)["status"] == "FAILED"
    kept = words.remember("refunds take five days", session="b", scope="agent")
    message = turn.refused("add_memory", _call="d", summary="refunds take five days", kind="event", scope="agent")
    with words.turn("b") as other:
        other.delete(kept)
    assert (
        turn.refused("add_memory", _call="d", summary="refunds take five days", kind="event", scope="agent") == message
    )


def test_a_search_again_gives_what_it_gave_whatever_was_written_since(words: Agent) -> None:
    kept = words.remember("she sails")
    turn = words.begin()
    calls: list[Json] = [
        {"callId": "query", "name": "search_memory", "input": {"query": "sails"}},
        {"callId": "list", "name": "search_memory", "input": {}},
        {"callId": "ids", "name": "search_memory", "input": {"ids": [kept]}},
        {"callId": "read", "name": "read_memory", "input": {"id": kept}},
    ]
    before = [turn.call("callTool", **call) for call in calls]
    turn.add("he sails too")
    turn.delete(kept)
    assert [turn.call("callTool", **call) for call in calls] == before
    turn.commit()
    assert [turn.call("callTool", **call) for call in calls] == before


def test_a_recall_again_gives_what_it_gave_and_is_recorded_once(words: Agent) -> None:
    words.remember("she sails")
    turn = words.begin()
    first = turn.recall("sails", "r")
    assert first["recorded"]
    turn.add("he sails too")
    assert turn.recall("sails", "r") == first
    turn.commit()
    assert turn.recall("sails", "r") == first


def test_a_recall_that_found_nothing_finds_nothing_again(words: Agent) -> None:
    turn = words.begin()
    first = turn.recall("sails", "r")
    assert first["records"] == []
    turn.add("she sails")
    assert turn.recall("sails", "r") == first


def test_an_append_again_takes_no_more_sequences(words: Agent) -> None:
    turn = words.begin()
    events = [{"type": "reply", "text": "one"}, {"type": "reply", "text": "two"}]
    first = same_twice(turn, "appendEvents", appendId="a", events=events)
    assert turn.describe()["nextSequence"] == first["last"] + 1
    turn.commit()
    assert turn.call("appendEvents", appendId="a", events=events) == first


def test_rolling_back_again_gives_the_same_answer(words: Agent) -> None:
    turn = words.begin()
    same_twice(turn, "rollbackTurn", reason="why")
    assert turn.describe()["reason"] == "why"


def test_a_commit_answers_the_same_long_after(words: Agent) -> None:
    turn = words.begin()
    first_id = turn.add("she sails")
    result = turn.commit()
    second_id = words.remember("she sails no more", replaces=first_id)
    with words.turn() as later:
        later.delete(second_id)
    assert turn.commit() == result
    assert turn.describe()["result"] == result


USED: dict[str, tuple[str, Json, list[Json]]] = {
    "recall": ("recall", {"recallId": "x", "text": "sails"}, [{"text": "boats"}, {"helper": "h"}, {"dropped": "all"}]),
    "callTool": (
        "callTool",
        {"callId": "x", "name": "add_memory", "input": {"summary": "she sails", "kind": "fact"}},
        [
            {"input": {"summary": "he sails", "kind": "fact"}},
            {"input": {"summary": "she sails", "kind": "event"}},
            {"name": "search_memory", "input": {}},
            {"helper": {"id": "h", "kind": "subagent"}},
        ],
    ),
    "appendEvents": (
        "appendEvents",
        {"appendId": "x", "events": [{"type": "reply", "text": "one"}]},
        [
            {"events": [{"type": "reply", "text": "two"}]},
            {"events": [{"type": "message", "text": "one"}]},
            {"events": [{"type": "reply", "text": "one"}, {"type": "reply", "text": "one"}]},
        ],
    ),
}


@pytest.mark.parametrize("case", USED)
def test_an_id_with_other_content_is_refused_and_changes_nothing(words: Agent, case: str) -> None:
    operation, fields, others = USED[case]
    turn = words.begin()
    first = turn.call(operation, **fields)
    before = turn.describe()
    for other in others:
        error = turn.refusal(operation, **{**fields, **other})
        assert error.code == "ID_REUSED", other
        assert not error.retriable
        assert "x" in error.message
    assert turn.describe() == before
    assert turn.call(operation, **fields) == first


def test_ids_of_recalls_calls_and_appends_do_not_meet(words: Agent) -> None:
    turn = words.begin()
    turn.recall("sails", "x")
    turn.done("add_memory", _call="x", summary="she sails", kind="fact")
    turn.append({"type": "reply", "text": "one"}, append_id="x")
    assert len(turn.commit()["written"]) == 1


def test_ids_of_one_attempt_do_not_meet_those_of_another(words: Agent) -> None:
    first = words.begin()
    first.done("add_memory", _call="x", summary="she sails", kind="fact")
    second = first.retry()
    second.done("add_memory", _call="x", summary="he sails", kind="fact")
    second.commit()
    assert words.visible() == ["he sails"]


def at_once(work: Callable[[int], Json]) -> list[Json]:
    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(work, range(4)))


def test_the_same_call_at_once_is_one_call(words: Agent) -> None:
    turn = words.begin()
    call = {"callId": "c", "name": "add_memory", "input": {"summary": "she sails", "kind": "fact"}}
    answers = at_once(lambda _: turn.call("callTool", **call))
    assert answers == [answers[0]] * 4
    events = [{"type": "reply", "text": "one"}]
    appended = at_once(lambda _: turn.call("appendEvents", appendId="a", events=events))
    assert appended == [appended[0]] * 4
    recalled = at_once(lambda _: turn.call("recall", recallId="r", text="sails"))
    assert recalled == [recalled[0]] * 4
    assert len(turn.commit()["written"]) == 1


def test_the_same_begin_at_once_is_one_turn(words: Agent) -> None:
    request = {
        "actionId": words.id, "executionId": new_id(), "invocationNumber": 1, "principal": "p", "message": "hello",
        "sessionId": "s",
    }  # fmt: skip
    begun = at_once(lambda _: words.runtime.call("beginTurn", **request))
    assert begun == [begun[0]] * 4
    assert begun[0]["turn"] == 1
