"""What a review model may answer: each rule, and what happens when it is broken (SPEC §7; CASES W6, W8, W9, X3)."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.e2e.driver import Agent, Json
from tests.e2e.review_server import behave, completion, is_decision
from tests.e2e.reviewing import CANDIDATE, SECONDS, Reviewing, candidates, reviewed, say
from tests.integration.model_server import Answer, Asked, ModelServer


@pytest.mark.parametrize(
    "text",
    [
        f"Here are the facts: {candidates(CANDIDATE)} Anything else?",
        f"```json\n{candidates(CANDIDATE)}\n```",
        f"I {{really}} think {{}} of [this]: {candidates(CANDIDATE)}",
        f"There is not nothing, [], but: {candidates(CANDIDATE)}",
        json.dumps([CANDIDATE]),
    ],
)
def test_w8_fenced_and_chatty_answers_are_understood(pupil: Agent, model: ModelServer, text: str) -> None:
    model.next = [lambda _: completion(text)]
    assert [one["summary"] for one in say(pupil, "hello")["written"]] == ["Maya drinks tea"]
    assert len(model.asked) == 1


@pytest.mark.parametrize("text", ["```json\n[]\n```", candidates()])
def test_w8_an_empty_list_keeps_nothing(pupil: Agent, model: ModelServer, text: str) -> None:
    model.next = [lambda _: completion(text)]
    result = say(pupil, "hello")
    assert (result["review"]["status"], result["written"]) == ("COMPLETED", [])


BAD_CANDIDATES: dict[str, Any] = {
    "cut in the middle": candidates(CANDIDATE)[:-12],
    "cut behind a list of its own": candidates({**CANDIDATE, "metadata": {"tags": []}})[:-4],
    "cut behind an item": candidates(CANDIDATE, CANDIDATE)[:-12],
    "prose": "I cannot help with that.",
    "empty summary": candidates({**CANDIDATE, "summary": " "}),
    "600 bytes": candidates({**CANDIDATE, "summary": "x" * 600}),
    "two lines": candidates({**CANDIDATE, "summary": "a\nb"}),
    "undeclared kind": candidates({**CANDIDATE, "kind": "rumour"}),
    "undeclared label": candidates({**CANDIDATE, "labels": {"shoe": "42"}}),
    "200 items": candidates(*[CANDIDATE] * 200),
    "nested junk": candidates({**CANDIDATE, "record": {"record": {"summary": "x"}}}),
    "no object": candidates("Maya"),
    "metadata of 3 KiB": candidates({**CANDIDATE, "metadata": {"x": "y" * 3_000}}),
}


@pytest.mark.parametrize("name", list(BAD_CANDIDATES))
def test_an_answer_that_breaks_a_rule_is_asked_again_once_and_then_recorded(
    pupil: Agent, model: ModelServer, name: str
) -> None:
    model.behaviour = lambda _: completion(BAD_CANDIDATES[name])
    turn = pupil.begin("s", "keep: Maya drinks tea")
    staged = turn.add("her own add stays")
    result = turn.commit()
    assert [one["memoryId"] for one in result["written"]] == [staged]
    assert result["review"]["status"] == "FAILED"
    assert result["review"]["fault"]
    assert len(model.asked) == 2
    assert [(one["calls"], one["outcome"]) for one in result["usage"] if one["purpose"] == "memory"] == [(2, "failed")]
    model.behaviour = behave
    assert [one["summary"] for one in say(pupil, "and?")["written"]] == ["Maya drinks tea"], "reviewed next time"


PLANS: dict[str, Json] = {
    "unknown handle": {"action": "replace", "target": "m9", "record": CANDIDATE},
    "an id": {"action": "delete", "target": "00000000-0000-4000-8000-000000000000"},
    "w6": {"action": "replace", "target": "m1", "record": {}},
    "no action": {"candidate": 1, "target": "m1"},
    "no target": {"candidate": 1, "action": "replace"},
    "no candidate": {"candidate": 7, "action": "add"},
    "a scope that is not written": {"action": "add", "record": {**CANDIDATE, "scope": "agent"}},
    "another action": {"action": "destroy", "target": "m1"},
}


@pytest.mark.parametrize("name", list(PLANS))
def test_a_plan_that_breaks_a_rule_changes_nothing(running: Reviewing, model: ModelServer, name: str) -> None:
    agent = reviewed(running, scope={"read": ["session", "agent"], "write": ["session"]})
    old = agent.remember("Maya drinks tea")
    model.asked.clear()

    def answer(asked: Asked) -> Answer:
        return completion(json.dumps({"plan": [PLANS[name]]})) if is_decision(asked) else behave(asked)

    model.behaviour = answer
    result = say(agent, "keep: Maya drinks water")
    assert (result["review"]["status"], result["written"], result["replaced"]) == ("FAILED", [], [])
    assert len(model.asked) == 2
    entry = agent.begin("s").read(old)
    assert (entry["status"], entry["version"]) == ("ACTIVE", 1)


def test_x3_metadata_stays_inert(pupil: Agent, model: ModelServer) -> None:
    metadata = {"actionId": "00000000-0000-4000-8000-000000000000", "sessionId": "other", "scope": "AGENT"}
    model.next = [lambda _: completion(candidates({**CANDIDATE, "metadata": metadata}))]
    (written,) = say(pupil, "hello")["written"]
    assert written["scope"] == "SESSION"
    assert pupil.visible("other") == []
    assert pupil.visible("s") == ["Maya drinks tea"]


def test_two_items_on_one_record_are_refused(pupil: Agent, model: ModelServer) -> None:
    pupil.remember("Maya drinks tea")
    twice = [{"candidate": 1, "action": "replace", "target": "m1"}, {"action": "delete", "target": "m1"}]

    def answer(asked: Asked) -> Answer:
        return completion(json.dumps({"plan": twice})) if is_decision(asked) else behave(asked)

    model.behaviour = answer
    assert say(pupil, "keep: Maya drinks water")["review"]["status"] == "FAILED"
    assert pupil.visible("s") == ["Maya drinks tea"]


def late(asked: Asked) -> Answer:
    return Answer(200, behave(asked).body, delay=SECONDS + 2)


@pytest.mark.parametrize(
    "misbehaviour",
    [late, lambda _: Answer(429, b"{}"), lambda _: Answer(500, b"oops"), lambda _: Answer(200, b'{"choices": []}')],
    ids=["never", "429", "500", "no choices"],
)
def test_a_model_that_does_not_answer_costs_no_turn(
    pupil: Agent, model: ModelServer, misbehaviour: Callable[[Asked], Answer]
) -> None:
    model.behaviour = misbehaviour
    turn = pupil.begin("s", "keep: Maya drinks tea")
    turn.add("an add of her own")
    result = turn.commit()
    assert (len(result["written"]), result["review"]["status"]) == (1, "FAILED")
    assert turn.commit() == result, "the same answer again"
    assert len(model.asked) <= 2
    model.behaviour = behave
    assert "Maya drinks tea" in [one["summary"] for one in say(pupil, "go on")["written"]]
