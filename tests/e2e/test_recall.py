"""Recall before a model call: its query, its block, what is recorded and what is suppressed (SPEC §4 "Recall")."""

from typing import Any

import pytest

from tests.e2e.driver import Agent, Json, Runtime, Turn, lexical, new_id


def recorded(turn: Turn, text: str, **fields: Any) -> bool:
    """Whether a recall is recorded; its block is returned in full either way."""
    recalled = turn.recall(text, **fields)
    assert recalled["records"]
    for record in recalled["records"]:
        assert record["summary"] in recalled["block"]
    assert bool(recalled.get("executionId")) == recalled["recorded"]
    return bool(recalled["recorded"])


# Recording and suppression.


def test_a_recall_that_finds_nothing_is_not_recorded(words: Agent) -> None:
    words.remember("she sails")
    turn = words.begin()
    before = turn.describe()["nextSequence"]
    recalled = turn.recall("volcano")
    assert (recalled["records"], recalled["recorded"], recalled.get("executionId")) == ([], False, None)
    assert recalled["block"] == ""
    assert turn.describe()["nextSequence"] == before


def test_a_recall_that_finds_records_is_recorded_as_an_execution(words: Agent) -> None:
    words.remember("she sails")
    turn = words.begin()
    recalled = turn.recall("sails")
    assert recalled["recorded"]
    assert recalled["executionId"] not in (None, turn.execution_id)


def test_the_same_records_again_are_not_recorded_again(words: Agent) -> None:
    words.seed(["Maria sails", "Peter sails"])
    turn = words.begin()
    assert recorded(turn, "sails")
    assert not recorded(turn, "sails")
    assert not recorded(turn, "Maria"), "a part of what was listed is listed already"


def test_a_record_that_was_not_listed_yet_is_recorded(words: Agent) -> None:
    words.remember("she sails")
    turn = words.begin()
    assert recorded(turn, "sails")
    turn.add("they sail")
    assert recorded(turn, "sails")
    assert not recorded(turn, "sails")


def test_records_listed_by_two_recalls_together_are_listed(words: Agent) -> None:
    words.seed(["she sails", "he rows"])
    turn = words.begin()
    assert recorded(turn, "sails")
    assert recorded(turn, "rows")
    assert not recorded(turn, "sails and rows")


def test_what_a_committed_turn_listed_is_in_context_in_the_next(words: Agent) -> None:
    words.remember("she sails")
    with words.turn() as turn:
        assert recorded(turn, "sails")
    with words.turn() as turn:
        assert not recorded(turn, "sails")


def test_what_a_rolled_back_turn_listed_is_not_in_context(words: Agent) -> None:
    words.remember("she sails")
    turn = words.begin()
    assert recorded(turn, "sails")
    turn.rollback()
    assert recorded(turn.retry(), "sails")


def test_another_session_is_another_conversation(words: Agent) -> None:
    words.remember("she sails", scope="agent")
    with words.turn("a") as turn:
        assert recorded(turn, "sails")
    with words.turn("b") as turn:
        assert recorded(turn, "sails")


def test_without_sessions_the_conversation_is_the_turn(runtime: Runtime) -> None:
    agent = Agent(runtime, {"sessions": False, **lexical(scope={"read": ["agent"], "write": ["agent"]})})
    agent.remember("she sails", session=None)
    for _ in range(2):
        with agent.turn(None) as turn:
            assert recorded(turn, "sails")
            assert not recorded(turn, "sails")


def test_a_helpers_conversation_is_its_own_within_the_turn(words: Agent) -> None:
    words.remember("she sails")
    with words.turn() as turn:
        assert recorded(turn, "sails")
        assert recorded(turn, "sails", helper="h1")
        assert not recorded(turn, "sails", helper="h1")
        assert recorded(turn, "sails", helper="h2")
        assert not recorded(turn, "sails")
    with words.turn() as turn:
        assert not recorded(turn, "sails")
        assert recorded(turn, "sails", helper="h1")


def test_a_helpers_recall_puts_nothing_before_the_agent(words: Agent) -> None:
    words.remember("she sails")
    with words.turn() as turn:
        assert recorded(turn, "sails", helper="h1")
        assert recorded(turn, "sails")


@pytest.mark.parametrize("by", ["recall", "event"])
def test_after_everything_was_dropped_the_recall_is_recorded_again(words: Agent, by: str) -> None:
    words.remember("she sails")
    with words.turn() as turn:
        assert recorded(turn, "sails")
        if by == "recall":
            assert recorded(turn, "sails", dropped="all")
        else:
            turn.append({"type": "context", "dropped": "all", "text": "a summary"})
            assert recorded(turn, "sails")
        assert not recorded(turn, "sails")
    with words.turn() as turn:
        assert not recorded(turn, "sails")


@pytest.mark.parametrize("by", ["recall", "event"])
def test_only_the_named_executions_leave_the_context(words: Agent, by: str) -> None:
    words.seed(["she sails", "he rows"])
    turn = words.begin()
    sails = turn.recall("sails")["executionId"]
    assert recorded(turn, "rows")
    fields: Json = {"dropped": [sails]} if by == "recall" else {}
    if by == "event":
        turn.append({"type": "context", "dropped": [sails]})
    assert not recorded(turn, "rows", **fields)
    assert recorded(turn, "sails")
    assert not recorded(turn, "sails and rows")


def test_an_unknown_execution_drops_nothing(words: Agent) -> None:
    words.remember("she sails")
    turn = words.begin()
    assert recorded(turn, "sails")
    assert not recorded(turn, "sails", dropped=[new_id()])
    assert not recorded(turn, "sails", dropped=[])


def test_a_drop_in_a_helpers_conversation_leaves_the_agents_alone(words: Agent) -> None:
    words.remember("she sails")
    turn = words.begin()
    assert recorded(turn, "sails")
    assert recorded(turn, "sails", helper="h1")
    turn.append({"type": "context", "dropped": "all", "helper": "h1"})
    assert not recorded(turn, "sails")
    assert recorded(turn, "sails", helper="h1")


def test_what_a_later_turn_drops_is_out_of_context_also_after_its_commit(words: Agent) -> None:
    words.seed(["she sails", "he rows"])
    with words.turn() as turn:
        assert recorded(turn, "sails")
        assert recorded(turn, "rows")
    with words.turn() as turn:
        turn.append({"type": "context", "dropped": "all"})
        assert recorded(turn, "rows")
    with words.turn() as turn:
        assert not recorded(turn, "rows")
        assert recorded(turn, "sails")


def test_a_search_lists_nothing_for_suppression(words: Agent) -> None:
    words.remember("she sails")
    turn = words.begin()
    turn.search("sails")
    assert recorded(turn, "sails")
