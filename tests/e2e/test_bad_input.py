"""Every operation answers a malformed request with an error that names the field; nothing changes (SPEC §4)."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.driver import Agent, Json, Runtime, Turn, ids, lexical, new_id

VALID: dict[str, Json] = {
    "registerAgent": {"actionId": new_id(), "name": "an agent", "harness": {}},
    "beginTurn": {
        "actionId": new_id(),
        "executionId": new_id(),
        "invocationNumber": 1,
        "principal": "user:maria",
        "message": "hello",
        "sessionId": "s",
    },
    "recall": {"recallId": "x"},
    "callTool": {"callId": "x", "name": "search_memory", "input": {}},
    "appendEvents": {"appendId": "x", "events": [{"type": "reply", "text": "x"}]},
    "commitTurn": {},
    "rollbackTurn": {},
    "describeTurn": {},
}
IN_TURN = ["recall", "callTool", "appendEvents", "commitTurn", "rollbackTurn"]
OPTIONAL = {("beginTurn", "sessionId"), ("describeTurn", "invocationNumber")}
"""Required of an agent with sessions only; left out for the newest invocation."""

WRONG: dict[str, list[Any]] = {
    "actionId": [7, None, "", "no uuid", "0190b5a4-7c1e-7000-8000-0000", "{0190b5a4-7c1e-7000-8000-000000000001}"],
    "executionId": [7, None, "", "no uuid", "0190b5a47c1e70008000000000000001", ["x"]],
    "invocationNumber": [0, -1, 1.5, "1", None, True],
    "version": [0, "1", 1.5, True, -3],
    "sessionId": [7, "", "a" * 257, "é" * 129, "a\nb", "a\x00b", "\x7f", ["s"], {}],
    "principal": [7, None, "", "a" * 257],
    "startedBy": ["no uuid", 7],
    "preview": ["no", 1],
    "replayOf": ["no uuid", 7],
    "time": [7, "soon", "2026-12-01", "2026-12-01T09:30:00"],
    "message": [7, None, "", [], {}, ["text"], [7]],
    "name": [7, None, ""],
    "harness": [7, None, "{}", []],
    "policies": ["none", {}, [7]],
    "requestId": [7, "", "a" * 257],
    "recallId": [7, None, "", "a" * 257],
    "text": [7, ["x"], {}],
    "helper": [7, "", [], {"kind": "subagent"}, {"id": ""}, {"id": "h", "colour": "red"}],
    "dropped": [7, "some", "", ["no uuid"], [7], {}],
    "callId": [7, None, "", "a" * 257],
    "input": [7, None, "{}", []],
    "appendId": [7, None, "", "a" * 257],
    "events": [
        7, None, [], {}, ["x"], [{}], [{"type": "reply"}, 7], [{"type": "unknown", "text": "x"}], [{"text": "x"}],
        [{"type": "message"}], [{"type": "message", "text": 7}], [{"type": "reply", "text": "x", "colour": "red"}],
        [{"type": "reply", "toolCalls": [{"name": "x"}]}], [{"type": "reply", "toolCalls": "x"}],
        [{"type": "tool_result", "name": "x", "output": "x"}], [{"type": "tool_result", "callId": "c", "name": "x"}],
        [{"type": "tool_error", "callId": "c", "name": "", "error": "x"}], [{"type": "context", "dropped": "some"}],
        [{"type": "context"}], [{"type": "native", "text": "x"}], [{"type": "recall"}], [{"type": "memory.pinned"}],
        [{"type": "usage"}], [{"type": "review"}], [{"type": "reply", "text": "x", "sequence": 1}],
    ],
    "reason": [7, ["x"]],
}  # fmt: skip
FIELDS: dict[str, list[str]] = {
    "registerAgent": ["actionId", "name", "principal", "harness", "policies", "requestId"],
    "beginTurn": [
        "actionId", "version", "sessionId", "executionId", "invocationNumber", "principal", "startedBy", "preview",
        "replayOf", "time", "message",
    ],
    "recall": ["executionId", "invocationNumber", "recallId", "text", "helper", "dropped"],
    "callTool": ["executionId", "invocationNumber", "callId", "name", "input", "helper"],
    "appendEvents": ["executionId", "invocationNumber", "appendId", "events"],
    "commitTurn": ["executionId", "invocationNumber"],
    "rollbackTurn": ["executionId", "invocationNumber", "reason"],
    "describeTurn": ["executionId", "invocationNumber", "actionId", "sessionId"],
}  # fmt: skip
NULLABLE = {("registerAgent", "principal"), *(("describeTurn", name) for name in FIELDS["describeTurn"])}
"""Optional, so that null means it is not given."""


@pytest.fixture(scope="module")
def turn(runtime: Runtime) -> Iterator[Turn]:
    """An open turn with something staged, which none of these tests may change."""
    turn = Agent(runtime, lexical()).begin()
    turn.add("she sails")
    before = turn.describe()
    yield turn
    assert turn.describe() == before


def valid(operation: str, turn: Turn) -> Json:
    """Fields that the operation would take."""
    if operation in IN_TURN or operation == "describeTurn":
        return {**turn.execution, **VALID[operation]}
    if operation == "beginTurn":
        return {**VALID[operation], "actionId": turn.agent.id, "executionId": new_id(), "sessionId": new_id()}
    return {**VALID[operation], "actionId": new_id()}


@pytest.mark.parametrize("operation", VALID)
def test_a_missing_field_is_named(runtime: Runtime, turn: Turn, operation: str) -> None:
    fields = valid(operation, turn)
    for name in [name for name in fields if (operation, name) not in OPTIONAL]:
        error = runtime.refusal(operation, **{k: v for k, v in fields.items() if k != name})
        assert error.code == "BAD_REQUEST", name
        assert name in error.message
        assert not error.retriable


@pytest.mark.parametrize("operation", VALID)
def test_an_unknown_field_is_named(runtime: Runtime, turn: Turn, operation: str) -> None:
    for name in ("colour", "execution_id", "ExecutionId", "__class__", "результат"):
        error = runtime.refusal(operation, **{**valid(operation, turn), name: "x"})
        assert (error.code, error.path) == ("BAD_REQUEST", name)
        assert name in error.message


@pytest.mark.parametrize(("operation", "name"), [(op, name) for op, names in FIELDS.items() for name in names])
def test_a_wrong_value_is_named_with_its_field(runtime: Runtime, turn: Turn, operation: str, name: str) -> None:
    for value in WRONG[name]:
        if value is None and (operation, name) in NULLABLE:
            continue
        if operation == "describeTurn" and name in {"actionId", "sessionId"}:
            fields = {"actionId": turn.agent.id, "sessionId": "s"}
        else:
            fields = valid(operation, turn)
        if value is None and name not in fields:
            continue
        error = runtime.refusal(operation, **{**fields, name: value})
        where = f"{operation}.{name} = {str(value)[:60]!r}"
        assert error.code in {"BAD_REQUEST", "LIMIT_EXCEEDED", "INVALID_CONFIG"}, f"{where}: {error}"
        assert (error.path or "").startswith(name), f"{where}: {error.path}"
        assert name in error.message, where
        assert not error.retriable, where


def test_every_fault_of_a_request_is_told_at_once(runtime: Runtime, turn: Turn) -> None:
    error = runtime.refusal("callTool", executionId="no uuid", invocationNumber=0, callId="", nme="x", input=[])
    for name in ("executionId", "invocationNumber", "callId", "name", "nme", "input"):
        assert [line for line in error.message.splitlines() if line.startswith(f"{name} ")], name


@pytest.mark.parametrize(
    "operation", ["drop", "", "RegisterAgent", "registeragent", "__init__", "recall ", 7, None, [], {}]
)
def test_an_unknown_operation_is_told_the_known_ones(runtime: Runtime, operation: Any) -> None:
    error = runtime.send(json.dumps({"operation": operation}).encode())["error"]
    assert error["code"] == "BAD_REQUEST"
    assert error["path"] == "operation"
    assert "commitTurn" in error["message"]


@pytest.mark.parametrize(
    "payload", ["{}", "[]", "null", "7", '"recall"', "true", '[{"operation": "recall"}]', '{"a": 1}']
)
def test_a_payload_that_is_no_request_is_an_error(runtime: Runtime, payload: str) -> None:
    error = runtime.send(payload.encode())["error"]
    assert error["code"] == "BAD_REQUEST"
    assert "operation" in error["message"]
    assert not error["retriable"]


@pytest.mark.parametrize("number", [str(10**30), "1e400", "-1e400"])
@pytest.mark.parametrize("operation", [*IN_TURN, "describeTurn", "beginTurn"])
def test_a_number_out_of_range_is_an_error_and_no_crash(
    runtime: Runtime, turn: Turn, operation: str, number: str
) -> None:
    body = json.dumps({"operation": operation, **valid(operation, turn), "invocationNumber": "NUMBER"})
    reply = runtime.send(body.replace('"NUMBER"', number).encode())
    assert reply["error"]["code"] in {"BAD_REQUEST", "NOT_FOUND"}


# Unknown agents, executions and versions.


def test_an_unknown_agent_is_not_found(runtime: Runtime) -> None:
    error = runtime.refusal("beginTurn", **{**VALID["beginTurn"], "actionId": new_id()})
    assert (error.code, error.path) == ("NOT_FOUND", "actionId")
    assert "registerAgent" in error.message


def test_an_unknown_version_is_not_found(runtime: Runtime, turn: Turn) -> None:
    error = runtime.refusal("beginTurn", **{**valid("beginTurn", turn), "version": 99})
    assert (error.code, error.path) == ("NOT_FOUND", "version")
    assert "99" in error.message


@pytest.mark.parametrize("operation", [*IN_TURN, "describeTurn"])
def test_an_unknown_execution_or_invocation_is_not_found(runtime: Runtime, turn: Turn, operation: str) -> None:
    unknown = new_id()
    error = runtime.refusal(operation, **{**valid(operation, turn), "executionId": unknown})
    assert error.code == "NOT_FOUND"
    assert unknown in error.message
    assert runtime.refusal(operation, **{**valid(operation, turn), "invocationNumber": 2}).code == "NOT_FOUND"


def test_describe_takes_an_execution_or_a_session_and_not_both(runtime: Runtime, turn: Turn) -> None:
    session = {"actionId": turn.agent.id, "sessionId": "s"}
    for fields in ({**turn.execution, **session}, {}, {"actionId": turn.agent.id}, {"sessionId": "s"}):
        assert runtime.refusal("describeTurn", **fields).code == "BAD_REQUEST"
    assert runtime.refusal("describeTurn", **{**session, "sessionId": "another"}).code == "NOT_FOUND"


def test_an_unknown_tool_is_told_the_known_ones(turn: Turn) -> None:
    error = turn.refusal("callTool", callId="x", name="drop_memory", input={})
    assert (error.code, error.path) == ("BAD_REQUEST", "name")
    assert "search_memory" in error.message


# Ids in upper case.


def test_ids_in_upper_case_are_the_same_ids(runtime: Runtime, turn: Turn) -> None:
    action, execution = new_id(), new_id()
    assert runtime.call("registerAgent", actionId=action.upper(), name="a", harness=lexical())["actionId"] == action
    assert runtime.call("registerAgent", actionId=action, name="a", harness=lexical())["version"] == 1
    request = {**VALID["beginTurn"], "actionId": action, "executionId": execution.upper()}
    begun = runtime.call("beginTurn", **request)
    assert runtime.call("beginTurn", **{**request, "actionId": action.upper(), "executionId": execution}) == begun
    for spelled in (execution, execution.upper()):
        described = runtime.call("describeTurn", executionId=spelled, invocationNumber=1)
        assert (described["executionId"], described["actionId"]) == (execution, action)
    assert runtime.call("describeTurn", actionId=action.upper(), sessionId="s")["executionId"] == execution


def test_a_bad_call_in_between_leaves_the_turn_able_to_commit(runtime: Runtime) -> None:
    turn = Agent(runtime, lexical()).begin()
    added = turn.add("she sails")
    turn.refusal("callTool", callId="x", name="nothing", input={})
    turn.refusal("appendEvents", appendId="a", events=[])
    turn.refused("add_memory", summary="", kind="fact")
    assert ids(turn.commit()["written"]) == [added]
