"""The client over a scripted Lambda client: what each call sends and what its answer becomes (SPEC §4, §6, §10)."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from memoir.client import (
    ErrorCode,
    Helper,
    LocalSystemMissing,
    Memoir,
    MemoirCallError,
    MessageEvent,
    ToolCall,
    ToolCallFailed,
    Turn,
    lambda_config,
)
from tests.scripted_lambda import (
    AGENT,
    APPENDED,
    BEGUN,
    COMMITTED,
    MEMORY,
    ScriptedLambda,
    answer,
    change,
    client,
    crash,
    tool_answer,
    turn_over,
)


def test_beginning_sends_what_was_given_and_nothing_else() -> None:
    fake = ScriptedLambda(BEGUN, COMMITTED)
    with turn_over(fake, execution_id=MEMORY, time="2026-12-01T09:30:00+08:00"):
        pass
    assert fake.requests[0] == {
        "operation": "beginTurn",
        "actionId": AGENT,
        "sessionId": "maya",
        "executionId": MEMORY,
        "invocationNumber": 1,
        "principal": "app:chat",
        "time": "2026-12-01T09:30:00+08:00",
        "message": "Hello",
    }


def test_events_are_sent_in_the_forms_of_the_protocol() -> None:
    fake = ScriptedLambda(BEGUN, *[APPENDED] * 4, COMMITTED)
    with turn_over(fake) as turn:
        turn.reply("Let me look.", tool_calls=[ToolCall(call_id="c1", name="get_account", arguments={"id": 7})])
        turn.tool_result("c1", "get_account", None)
        turn.tool_error("c2", "get_card", "not found", helper="scout")
        turn.append(MessageEvent(type="message", text="And?"), append_id="mine")
    sent = [(request["appendId"], request["events"]) for request in fake.requests[1:5]]
    assert [events for _, events in sent] == [
        [
            {
                "type": "reply",
                "text": "Let me look.",
                "toolCalls": [{"callId": "c1", "name": "get_account", "arguments": {"id": 7}}],
            }
        ],
        [{"type": "tool_result", "callId": "c1", "name": "get_account", "output": None}],
        [{"type": "tool_error", "callId": "c2", "name": "get_card", "error": "not found", "helper": "scout"}],
        [{"type": "message", "text": "And?"}],
    ]
    assert sent[3][0] == "mine"
    assert len({append_id for append_id, _ in sent}) == 4


@pytest.mark.parametrize(
    ("call", "name", "sent"),
    [
        (lambda turn: turn.search("tea"), "search_memory", {"query": "tea"}),
        (lambda turn: turn.search(limit=2, after="c"), "search_memory", {"limit": 2, "after": "c"}),
        (lambda turn: turn.search(ids=(MEMORY,)), "search_memory", {"ids": [MEMORY]}),
        (lambda turn: turn.search("tea", explain=True), "search_memory", {"query": "tea", "explain": True}),
        (
            lambda turn: turn.search("tea", kind="fact", labels={"customer": "7"}),
            "search_memory",
            {"query": "tea", "kind": "fact", "labels": {"customer": "7"}},
        ),
        (lambda turn: turn.read_memory(MEMORY), "read_memory", {"id": MEMORY}),
        (lambda turn: turn.delete_memory(MEMORY), "delete_memory", {"id": MEMORY}),
        (
            lambda turn: turn.add_memory("Likes tea", kind="fact", scope="agent", replaces=MEMORY),
            "add_memory",
            {"summary": "Likes tea", "kind": "fact", "scope": "agent", "replaces": MEMORY},
        ),
        (lambda turn: turn.call_tool("add_memory", {"summary": None}), "add_memory", {"summary": None}),
    ],
)
def test_tool_methods_send_the_tools_own_inputs(call: Callable[[Turn], Any], name: str, sent: dict[str, Any]) -> None:
    fake = ScriptedLambda(BEGUN, tool_answer(), COMMITTED)
    with turn_over(fake) as turn:
        call(turn)
    request = fake.requests[1]
    assert (request["operation"], request["name"], request["input"]) == ("callTool", name, sent)
    assert (request["executionId"], request["invocationNumber"]) == (turn.execution_id, 1)


def test_models_call_id_and_helper_are_passed_on() -> None:
    fake = ScriptedLambda(BEGUN, tool_answer(), tool_answer(), COMMITTED)
    with turn_over(fake) as turn:
        turn.call_tool("search_memory", {"query": "tea"}, call_id="toolu_1", helper="scout")
        turn.search("tea", helper=Helper(id="ptc", kind="program"))
    assert fake.requests[1]["callId"] == "toolu_1"
    assert [request["helper"] for request in fake.requests[1:3]] == [{"id": "scout"}, {"id": "ptc", "kind": "program"}]


def test_failed_tool_call_is_an_answer_and_raises_only_when_asked() -> None:
    fake = ScriptedLambda(BEGUN, tool_answer("FAILED", "kind is not declared"), COMMITTED)
    with turn_over(fake) as turn:
        result = turn.add_memory("Likes tea", kind="whim")
        assert not result.ok
        with pytest.raises(ToolCallFailed, match="kind is not declared"):
            result.raise_for_status()
    assert fake.operations[-1] == "commitTurn"


def test_tool_output_is_read_as_records() -> None:
    found = {"memoryId": MEMORY, "version": 2, "status": "SUPERSEDED", "replacedBy": AGENT, "aNewField": 1}
    output: dict[str, Any] = {"memories": [found], "missing": [AGENT], "next": "cursor"}
    fake = ScriptedLambda(BEGUN, tool_answer(**output), COMMITTED)
    with turn_over(fake) as turn:
        result = turn.search().raise_for_status()
    assert [(one.memory_id, one.version, one.replaced_by) for one in result.memories] == [(MEMORY, 2, AGENT)]
    assert (result.sources, result.missing, result.next) == ((), (AGENT,), "cursor")
    assert not result.skipped


def test_explained_search_says_what_found_each_record() -> None:
    why = {"memoryId": MEMORY, "score": 1.0, "foundBy": ["words", "meaning"]}
    explained = tool_answer(sources=[], explain={"results": [why], "dropped": []})
    fake = ScriptedLambda(BEGUN, explained, tool_answer(sources=[]), COMMITTED)
    with turn_over(fake) as turn:
        assert turn.search("tea", explain=True).found_by == {MEMORY: ("words", "meaning")}
        assert turn.search("tea").found_by == {}


def test_recall_says_what_left_the_context() -> None:
    recalled = answer(block="", records=[], recorded=False)
    fake = ScriptedLambda(BEGUN, recalled, recalled, COMMITTED)
    with turn_over(fake) as turn:
        turn.recall(dropped=[MEMORY], recall_id="r1")
        turn.recall("tea", dropped="all", helper="scout")
    assert fake.requests[1] | {"dropped": [MEMORY], "recallId": "r1"} == fake.requests[1]
    assert fake.requests[2] | {"dropped": "all", "helper": "scout", "text": "tea"} == fake.requests[2]


def test_fields_that_a_newer_function_adds_are_ignored() -> None:
    fake = ScriptedLambda(BEGUN, answer(written=[change() | {"colour": "red"}], mood="good"))
    with turn_over(fake) as turn:
        pass
    assert turn.result is not None
    assert turn.result.written[0].summary == "Likes tea"


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"action_id": "seven"}, "action_id"),
        ({"session_id": ""}, "session_id"),
        ({"session_id": "a\nb"}, "session_id"),
        ({"time": "yesterday"}, "time"),
        ({"message": ""}, "message"),
        ({"principal": "x" * 257}, "principal"),
    ],
)
def test_malformed_turn_is_refused_with_its_field_before_anything_is_sent(fields: dict[str, Any], path: str) -> None:
    fake = ScriptedLambda()
    with pytest.raises(MemoirCallError) as caught:
        turn_over(fake, **fields)
    assert caught.value.code is ErrorCode.BAD_REQUEST
    assert caught.value.path == path
    assert fake.payloads == []


def test_number_that_is_not_json_is_refused_instead_of_sent_as_null() -> None:
    fake = ScriptedLambda(BEGUN, COMMITTED)
    with turn_over(fake) as turn:
        with pytest.raises(MemoirCallError, match="NaN"):
            turn.tool_result("c1", "get_rate", {"rate": float("nan")})
        turn.commit()
    assert fake.operations == ["beginTurn", "commitTurn"]


def test_text_is_sent_as_utf8_and_half_a_character_as_an_escape() -> None:
    fake = ScriptedLambda(BEGUN, APPENDED, APPENDED, COMMITTED)
    with turn_over(fake) as turn:
        turn.tool_result("c1", "get_name", {"name": "陈晓雨"})
        turn.tool_result("c2", "get_name", {"name": "\ud83d"})
    assert "陈晓雨".encode() in fake.payloads[1]
    assert rb"\ud83d" in fake.payloads[2]


def test_registration_is_repeated_under_one_request_id() -> None:
    fake = ScriptedLambda(crash(), answer(actionId=AGENT, version=1, principal="agent:x"))
    registered = client(fake).register_agent(action_id=AGENT, name="desk", harness={"sessions": True}, policies=[])
    assert (registered.version, registered.principal) == (1, "agent:x")
    assert fake.payloads[0] == fake.payloads[1]
    assert fake.requests[0] | {"harness": {"sessions": True}, "policies": []} == fake.requests[0]
    assert fake.requests[0]["requestId"]


def test_open_turn_of_a_session_can_be_described() -> None:
    described = {
        "actionId": AGENT,
        "version": 1,
        "sessionId": "maya",
        "turn": 4,
        "executionId": MEMORY,
        "invocationNumber": 2,
        "status": "OPEN",
        "created": "2026-12-01T09:30:00Z",
        "lastCall": "2026-12-01T09:31:00Z",
        "nextSequence": 5,
        "staged": [{"callId": "c1", "tool": "add_memory", "memoryId": MEMORY}],
        "outputUses": [],
    }
    fake = ScriptedLambda(answer(**described))
    state = client(fake).describe(action_id=AGENT, session_id="maya")
    assert (state.status, state.next_sequence, state.staged[0].tool) == ("OPEN", 5, "add_memory")
    assert fake.requests == [{"operation": "describeTurn", "actionId": AGENT, "sessionId": "maya"}]


def test_turn_that_has_not_begun_says_so() -> None:
    with pytest.raises(RuntimeError, match="with block"):
        _ = turn_over(ScriptedLambda()).number


def test_missing_local_system_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LocalSystemMissing, match="make up"):
        Memoir.local(tmp_path / "local.json")
    monkeypatch.setenv("MEMOIR_LOCAL", str(tmp_path / "other.json"))
    with pytest.raises(LocalSystemMissing, match="other"):
        Memoir.local()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"functions": {}}'])
def test_local_file_that_is_no_local_file_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "local.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(LocalSystemMissing, match="run `make up` again"):
        Memoir.local(path)


def test_local_file_names_function_and_endpoint(tmp_path: Path) -> None:
    path = tmp_path / "local.json"
    document = {
        "region": "eu-central-1",
        "lambda_endpoint": "http://127.0.0.1:9",
        "functions": {"agent_runtime": "memoir-agent-runtime"},
    }
    path.write_text(json.dumps(document), encoding="utf-8")
    assert isinstance(Memoir.local(path), Memoir)


def test_lambda_clients_own_retries_are_off_and_it_waits_for_a_long_commit() -> None:
    config = cast("Any", lambda_config())
    assert config.read_timeout == 900
    assert config.retries == {"total_max_attempts": 1}
