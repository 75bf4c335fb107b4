"""Odd text is data everywhere: lone surrogates, NULs, huge requests, naughty strings (SPEC §4, CASES X2)."""

import json
import os
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.e2e.driver import Agent, Json, Runtime, ToolReply, Turn, lexical, new_id

DATA = Path(os.environ.get("MEMOIR_DATA", Path(__file__).parents[2].parent / "shared" / "data"))
SURROGATE = "half a \ud83d character"


def begin_fields(agent: Agent) -> Json:
    return {
        "actionId": agent.id, "executionId": new_id(), "invocationNumber": 1, "principal": "p", "message": "hello",
        "sessionId": new_id(),
    }  # fmt: skip


@pytest.mark.parametrize("field", ["sessionId", "principal", "message"])
@pytest.mark.parametrize("text", [SURROGATE, "\udc00", "a\ud800"])
def test_a_lone_surrogate_in_a_turns_beginning_is_refused_with_its_field(words: Agent, field: str, text: str) -> None:
    error = words.runtime.refusal("beginTurn", **{**begin_fields(words), field: text})
    assert (error.code, error.path) == ("BAD_REQUEST", field)
    assert "surrogate" in error.message


SURROGATES: list[tuple[str, Json, str]] = [
    ("recall", {"recallId": SURROGATE}, "recallId"),
    ("recall", {"recallId": "x", "text": SURROGATE}, "text"),
    ("callTool", {"callId": SURROGATE, "name": "search_memory", "input": {}}, "callId"),
    ("callTool", {"callId": "x", "name": "search_memory", "input": {"query": SURROGATE}}, "input"),
    ("callTool", {"callId": "x", "name": "search_memory", "input": {SURROGATE: "x"}}, "input"),
    ("appendEvents", {"appendId": "x", "events": [{"type": "reply", "text": SURROGATE}]}, "events[0].text"),
    ("rollbackTurn", {"reason": SURROGATE}, "reason"),
]


@pytest.mark.parametrize(("operation", "fields", "path"), SURROGATES, ids=[f"{o}-{p}" for o, _, p in SURROGATES])
def test_a_lone_surrogate_is_refused_with_its_field(words: Agent, operation: str, fields: Json, path: str) -> None:
    turn = words.begin()
    before = turn.describe()
    error = turn.refusal(operation, **fields)
    assert error.code == "BAD_REQUEST"
    assert (error.path or "").startswith(path)
    assert "surrogate" in error.message
    assert turn.describe() == before


def test_a_nul_is_text_where_any_text_is_allowed(words: Agent) -> None:
    memory_id = words.remember("with a NUL inside", content="before\x00after wombat")
    turn = words.begin(message="before\x00after wombat")
    assert turn.read(memory_id)["content"] == "before\x00after wombat"
    assert turn.found("wombat\x00") == ["with a NUL inside"]
    assert turn.recall()["records"]
    assert turn.recall("\x00")["records"] == []
    turn.append({"type": "reply", "text": "\x00"}, append_id="\x00")
    turn.commit()


def test_bytes_that_are_no_json_never_reach_an_answer_of_ours_as_a_success(runtime: Runtime) -> None:
    for body in (b"{", b"\xff\xfe", b"operation=recall"):
        try:
            reply = runtime.send(body)
        except ClientError as refused:
            reply = {"error": {"code": refused.response["Error"]["Code"]}}
        assert reply["error"]["code"] in {"BAD_REQUEST", "InvalidRequestContentException"}


def test_json_nested_too_deep_is_refused_with_the_limit_and_its_field(words: Agent) -> None:
    turn = words.begin()
    deep: Any = "x"
    for _ in range(600):
        deep = [deep]
    event = {"type": "tool_result", "callId": "c", "name": "n", "output": deep}
    for operation, path, fields in (
        ("appendEvents", "events", {"appendId": "deep", "events": [event]}),
        ("callTool", "input", {"callId": "deep", "name": "search_memory", "input": {"labels": deep}}),
    ):
        refused = turn.refusal(operation, **fields)
        assert (refused.code, refused.path) == ("BAD_REQUEST", path)
        assert "100 levels" in refused.message
    turn.commit()


def test_a_request_with_a_thousand_unknown_fields_gets_a_short_answer(words: Agent) -> None:
    fields = {f"field {n}": n for n in range(1000)}
    error = words.runtime.refusal("commitTurn", executionId=new_id(), invocationNumber=1, **fields)
    assert error.code == "BAD_REQUEST"
    assert len(error.message) < 10_000


def test_a_huge_wrong_value_is_not_echoed(words: Agent) -> None:
    turn = words.begin()
    huge = "x" * 1_000_000
    requests: dict[str, Json] = {
        "recall": {"recallId": huge},
        "callTool": {"callId": "x", "name": huge, "input": {}},
        "appendEvents": {"appendId": "x", "events": [{"type": huge}]},
    }
    for operation, fields in requests.items():
        assert len(turn.refusal(operation, **fields).message) < 2_000
    assert len(turn.refused("read_memory", id=huge)) < 2_000
    assert len(turn.refused("search_memory", kind=huge)) < 2_000
    assert len(turn.refused("search_memory", labels={huge: "x"})) < 2_000


# The big list of naughty strings, in bulk.


@pytest.fixture(scope="module")
def naughty() -> list[str]:
    path = DATA / "blns" / "blns.json"
    if not path.exists():
        pytest.skip("the list of naughty strings is not here: set MEMOIR_DATA to the folder of public data")
    strings: list[str] = json.loads(path.read_text())
    assert len(strings) > 400
    return strings


def control(text: str) -> bool:
    return any(ord(c) < 32 or 127 <= ord(c) < 160 for c in text)


def folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def one_line(text: str) -> bool:
    return bool(text.strip()) and len(text.splitlines()) == 1 and not control(text.replace("\t", ""))


def test_naughty_strings_are_kept_whole_as_summaries_or_refused(runtime: Runtime, naughty: list[str]) -> None:
    agent = Agent(runtime, lexical())
    texts = sorted(set(naughty))[::6]
    chunks = [texts[start : start + 30] for start in range(0, len(texts), 30)]

    def keep(n: int) -> list[ToolReply]:
        with agent.turn(f"s{n}") as turn:
            return [turn.tool("add_memory", summary=text, kind="fact") for text in chunks[n]]

    with ThreadPoolExecutor(4) as pool:
        replies = [pair for pairs in pool.map(keep, range(len(chunks))) for pair in pairs]
    refused = {text for text, reply in zip(texts, replies, strict=True) if reply.status == "FAILED"}
    assert refused == {text for text in texts if not one_line(text) or len(text.encode()) > 512}
    for n, chunk in enumerate(chunks):
        with agent.turn(f"s{n}") as turn:
            kept = turn.listed_summaries()
        assert set(map(folded, kept)) == {folded(text) for text in chunk if text not in refused}
        assert set(kept) <= set(chunk), "whole, character by character"


def test_naughty_strings_are_queries_without_error(runtime: Runtime, naughty: list[str]) -> None:
    agent = Agent(runtime, lexical())
    agent.seed(["she sails", "he rows"], scope="agent")
    turns = [agent.begin(f"s{n}") for n in range(4)]
    queries = sorted(set(naughty))[1::6]

    def ask(n: int) -> Json:
        turn: Turn = turns[n % 4]
        if n % 2:
            return turn.recall(queries[n])
        return turn.call("callTool", callId=f"{n}", name="search_memory", input={"query": queries[n]})

    with ThreadPoolExecutor(4) as pool:
        replies = list(pool.map(ask, range(len(queries))))
    assert {reply["status"] for reply in replies if "status" in reply} == {"COMPLETED"}


def test_naughty_strings_are_ids_of_nothing_and_texts_of_events(words: Agent, naughty: list[str]) -> None:
    texts = sorted(set(naughty))
    turn = words.begin(message=[{"type": "text", "text": text} for text in texts])
    for start in range(0, len(texts), 50):
        assert turn.search(ids=texts[start : start + 50]).output["missing"] == texts[start : start + 50]
    turn.append(*[{"type": "reply", "text": text} for text in texts])
    turn.append(*[{"type": "tool_result", "callId": "c", "name": "n", "output": {text: text}} for text in texts])
    assert turn.recall()["records"] == []
    turn.commit()


def test_naughty_strings_are_sessions_of_their_own_or_refused(runtime: Runtime, naughty: list[str]) -> None:
    agent = Agent(runtime, lexical())
    names = sorted(set(naughty))[2::6]

    def begin(name: str) -> Json:
        return agent.runtime.reply("beginTurn", {**begin_fields(agent), "sessionId": name})

    with ThreadPoolExecutor(4) as pool:
        replies = list(pool.map(begin, names))
    for name, reply in zip(names, replies, strict=True):
        if not name or len(name.encode()) > 256 or control(name):
            assert (reply["error"]["code"], reply["error"]["path"]) == ("BAD_REQUEST", "sessionId"), name
        else:
            assert reply["result"]["turn"] == 1, name
