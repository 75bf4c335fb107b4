"""Limits are checked at the call that breaks them, and the limit is named (SPEC §4)."""

import json

import pytest

from tests.e2e.driver import Agent, Json, Refused, Turn, ids


def plain(text: str) -> str:
    return text.replace(",", "").replace("_", "").replace(" ", "")


def refused_write(turn: Turn, tool: str, **given: str) -> str:
    """The message of a write over a limit, as a failed call or as an error."""
    reply = turn.reply("callTool", callId=f"over {tool}", name=tool, input=given)
    if "error" in reply:
        assert reply["error"]["code"] == "LIMIT_EXCEEDED"
        return str(reply["error"]["message"])
    assert reply["result"]["status"] == "FAILED"
    return str(reply["result"]["text"])


def test_a_turn_changes_30_records_and_not_one_more(words: Agent) -> None:
    old = words.seed([f"old fact {n}" for n in range(10)])
    turn = words.begin()
    new = [turn.add(f"new fact {n}") for n in range(10)]
    new += [turn.add(f"corrected fact {n}", replaces=old[n]) for n in range(5)]
    for n in range(5, 10):
        turn.delete(old[n])
    new += [turn.add(f"last fact {n}") for n in range(10)]
    assert "30" in refused_write(turn, "add_memory", summary="one too many", kind="fact")
    assert "30" in refused_write(turn, "delete_memory", id=new[0])
    assert turn.done("add_memory", summary="new fact 3", kind="fact").memories[0]["memoryId"] == new[3]
    result = turn.commit()
    assert ids(result["written"]) == new
    assert len(result["replaced"]) == len(result["deleted"]) == 5
    with words.turn() as later:
        assert sorted(ids(later.listed())) == sorted(new)


def test_30_replacements_commit_in_one_turn(words: Agent) -> None:
    old = words.seed([f"old fact {n}" for n in range(30)])
    with words.turn() as turn:
        for n, memory_id in enumerate(old):
            turn.add(f"new fact {n}", replaces=memory_id)
        result = turn.commit()
    assert len(result["written"]) == len(result["replaced"]) == 30
    assert len(words.visible()) == 30


def test_a_turn_takes_10_000_events_and_not_one_more(words: Agent) -> None:
    turn = words.begin()
    room = 10_000 - (turn.describe()["nextSequence"] - 1)
    events: list[Json] = [{"type": "reply", "text": "x"}] * (room + 1)
    error = turn.refusal("appendEvents", appendId="over", events=events)
    assert error.code == "LIMIT_EXCEEDED"
    assert "10000" in plain(error.message)
    assert turn.append(*events[:-1])["last"] == 10_000
    assert turn.refusal("appendEvents", appendId="one", events=events[:1]).code == "LIMIT_EXCEEDED"
    assert turn.refusal("callTool", callId="c", name="search_memory", input={}).code == "LIMIT_EXCEEDED"
    turn.commit()


@pytest.mark.parametrize("text", ["a" * 3_000_001, "é" * 1_500_001], ids=["ASCII", "two bytes a character"])
def test_an_event_over_3_mb_is_refused(words: Agent, text: str) -> None:
    turn = words.begin()
    error = turn.refusal("appendEvents", appendId="a", events=[{"type": "reply", "text": text}])
    assert error.code == "LIMIT_EXCEEDED"
    assert "3000000" in plain(error.message)
    assert (error.path or "").startswith("events[0]")
    assert turn.append({"type": "reply", "text": "short"}, append_id="a")["last"] == turn.describe()["nextSequence"] - 1


def test_an_event_just_under_3_mb_is_kept_and_committed(words: Agent) -> None:
    turn = words.begin()
    turn.append({"type": "tool_result", "callId": "c", "name": "export", "output": "é" * 1_499_000})
    turn.add("she sails")
    turn.commit()
    assert words.visible() == ["she sails"]


def test_a_message_over_3_mb_is_refused_and_begins_nothing(words: Agent) -> None:
    with pytest.raises(Refused) as caught:
        words.begin(message="a" * 3_000_001)
    assert (caught.value.code, caught.value.path) == ("LIMIT_EXCEEDED", "message")
    assert words.begin().begun["turn"] == 1


def test_a_request_over_5_mb_is_refused(words: Agent) -> None:
    turn = words.begin()
    before = turn.describe()
    error = turn.refusal("appendEvents", appendId="a", events=[{"type": "reply", "text": "a" * 1_700_000}] * 3)
    assert error.code == "LIMIT_EXCEEDED"
    assert "5000000" in plain(error.message)
    assert {**turn.describe(), "lastCall": ""} == {**before, "lastCall": ""}


def test_a_request_just_under_5_mb_is_taken(words: Agent) -> None:
    turn = words.begin()
    events = [{"type": "tool_result", "callId": "c", "name": "export", "output": "a" * 1_660_000}] * 3
    assert 4_970_000 < len(json.dumps(events)) < 4_990_000
    answer = turn.append(*events)
    assert answer["last"] - answer["first"] == 2
    turn.commit()


def test_a_reply_stops_under_3_5_mb_and_names_the_rest(words: Agent) -> None:
    turn = words.begin()
    content = "\x01" * 16_000
    added = [turn.add(f"record {n}", content=f"{n} {content}") for n in range(20)]
    reply = turn.call("callTool", callId="c", name="search_memory", input={"ids": added})
    assert len(json.dumps(reply, ensure_ascii=False).encode()) <= 3_500_000
    shown = ids(reply["output"]["sources"])
    assert 0 < len(shown) < 20
    assert shown + reply["output"]["remaining"] == added
    assert all(added[-1] not in entry["memoryId"] for entry in reply["output"]["sources"])
    assert added[-1] in reply["text"]
    rest = turn.search(ids=reply["output"]["remaining"])
    assert rest.ids[0] == reply["output"]["remaining"][0]


@pytest.mark.parametrize("size", [256, 257])
def test_an_id_of_a_caller_has_at_most_256_bytes(words: Agent, size: int) -> None:
    turn = words.begin()
    name = "é" * 128 + "a" * (size - 256)
    reply = turn.reply("appendEvents", appendId=name, events=[{"type": "reply", "text": "x"}])
    if size == 256:
        assert "result" in reply
        assert "result" in turn.reply("recall", recallId=name)
        assert turn.tool("search_memory", _call=name).status == "COMPLETED"
    else:
        assert (reply["error"]["code"], reply["error"]["path"]) == ("BAD_REQUEST", "appendId")
        assert "256" in reply["error"]["message"]
