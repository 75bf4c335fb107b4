"""What the runtime tells of a turn: its time and its events (SPEC §4, §10)."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.e2e.driver import Agent, Json, Refused, new_id


@pytest.mark.parametrize("time", ["2026-12-31T23:59:59+08:00", "2026-12-31T23:59:59.999Z", "2026-01-01T00:00:00-03:30"])
def test_a_turn_takes_its_time_with_an_offset(agent: Agent, time: str) -> None:
    assert agent.begin(time=time).begun["turn"] == 1


@pytest.mark.parametrize("time", ["2026-12-31T23:59:59", "2026-12-31", "yesterday", "2026-13-01T00:00:00Z", ""])
def test_a_time_without_offset_is_refused(agent: Agent, time: str) -> None:
    with pytest.raises(Refused) as caught:
        agent.begin(time=time)
    assert (caught.value.code, caught.value.path) == ("BAD_REQUEST", "time")


def test_appended_events_get_dense_sequences(agent: Agent) -> None:
    turn = agent.begin()
    start = turn.describe()["nextSequence"]
    one = turn.append({"type": "reply", "text": "one"}, {"type": "message", "text": "two"})
    assert one == {"first": start, "last": start + 1}
    turn.search()
    following = turn.describe()["nextSequence"]
    assert following > start + 2
    assert turn.says("three") == {"first": following, "last": following}


def test_appends_at_once_get_sequences_of_their_own(agent: Agent) -> None:
    turn = agent.begin()
    start = turn.describe()["nextSequence"]
    with ThreadPoolExecutor(6) as pool:
        ranges = list(pool.map(lambda n: turn.append(*[{"type": "reply", "text": f"{n}"}] * 3), range(6)))
    taken = sorted(n for r in ranges for n in range(r["first"], r["last"] + 1))
    assert taken == list(range(start, start + 18))
    turn.commit()


def test_every_form_of_event_is_taken(agent: Agent) -> None:
    turn = agent.begin()
    forms: list[Json] = [
        {"type": "message", "text": "hello again"},
        {"type": "reply", "text": "", "toolCalls": [{"callId": "c1", "name": "get_account", "arguments": {"id": 7}}]},
        {"type": "tool_result", "callId": "c1", "name": "get_account", "output": {"balance": 10}},
        {"type": "tool_error", "callId": "c2", "name": "get_account", "error": "not found"},
        {"type": "skill_load", "text": "how to refund"},
        {"type": "system", "text": "be kind"},
        {"type": "context", "dropped": "all"},
        {"type": "context", "dropped": [new_id()], "text": "a summary"},
        {"type": "helper", "text": "I looked it up", "helper": "h"},
    ]
    answer = turn.append(*forms)
    assert answer["last"] - answer["first"] + 1 == len(forms)
    turn.commit()
