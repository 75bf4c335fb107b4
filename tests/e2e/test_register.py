"""Registering an agent: every rule of its configuration (page "Agent memory"; SPEC §2)."""

from typing import Any

import pytest

from tests.e2e.driver import Agent, Json, Refused, Runtime, new_id


def refused(runtime: Runtime, config: Any, **fields: Any) -> Refused:
    return runtime.refusal("registerAgent", actionId=new_id(), name="an agent", harness=config, **fields)


def memory(**fields: Any) -> Json:
    return {"memory": {"enabled": True, **fields}}


def label(number: Any = 5, description: Any = "The customer.") -> Json:
    return {"number": number, "description": description}


def test_an_empty_configuration_is_a_valid_one(runtime: Runtime) -> None:
    action = new_id()
    result = runtime.call("registerAgent", actionId=action, name="an agent", harness={})
    assert result["version"] == 1


def test_the_principal_defaults_to_the_agents_id(runtime: Runtime) -> None:
    action = new_id()
    assert runtime.call("registerAgent", actionId=action, name="a", harness={})["principal"] == f"agent:{action}"
    named = runtime.call("registerAgent", actionId=action, name="a", harness={}, principal="crew")
    assert (named["version"], named["principal"]) == (2, "crew")


def test_the_same_content_as_the_latest_gives_the_latest_version(runtime: Runtime) -> None:
    agent = Agent(runtime, memory(kinds=["fact", "event"], labels={"customer": label()}))
    again = {"memory": {"labels": {"customer": label()}, "kinds": ["fact", "event"], "enabled": True}}
    assert agent.register(again) == 1


def test_every_change_makes_a_new_version_also_the_way_back(runtime: Runtime) -> None:
    agent = Agent(runtime, memory())
    assert agent.register(memory(kinds=["fact"])) == 2
    assert agent.register(memory()) == 3
    assert runtime.call("registerAgent", actionId=agent.id, name="another name", harness=memory())["version"] == 4


def test_a_request_id_answers_as_it_did_also_after_later_versions(runtime: Runtime) -> None:
    agent = Agent(runtime, memory())
    assert agent.register(memory(kinds=["fact"]), requestId="r1") == 2
    assert agent.register(memory(kinds=["event"])) == 3
    assert agent.register(memory(kinds=["fact"]), requestId="r1") == 2
    with pytest.raises(Refused) as caught:
        agent.register(memory(kinds=["event"]), requestId="r1")
    assert caught.value.code == "ID_REUSED"
    assert agent.register(memory(kinds=["reference"])) == 4


RULES = [
    ({"memory": {"enabled": True}, "sesions": True}, "harness.sesions"),
    ({"sessions": "yes"}, "harness.sessions"),
    ({"sessions": 1}, "harness.sessions"),
    ({"memory": []}, "harness.memory"),
    ({"memory": None}, "harness.memory"),
    ({"memory": {"enabled": "true"}}, "harness.memory.enabled"),
    ({"memory": {"enabled": False, "search": {"mod": "lexical"}}}, "harness.memory.search.mod"),
    (memory(colour="red"), "harness.memory.colour"),
    (memory(scope={"read": []}), "harness.memory.scope.read"),
    (memory(scope={"write": []}), "harness.memory.scope.write"),
    (memory(scope={"read": ["session", "team"]}), "harness.memory.scope.read[1]"),
    (memory(scope={"read": "session"}), "harness.memory.scope.read"),
    (memory(scope={"write": ["SESSION"]}), "harness.memory.scope.write[0]"),
    (memory(scope={"delete": ["session"]}), "harness.memory.scope.delete"),
    (memory(kinds=[]), "harness.memory.kinds"),
    (memory(kinds=["fact", "event", "fact"]), "harness.memory.kinds[2]"),
    (memory(kinds="fact"), "harness.memory.kinds"),
    (memory(kinds=["fact", 7]), "harness.memory.kinds[1]"),
    (memory(labels={"customer": label(4)}), "harness.memory.labels.customer.number"),
    (memory(labels={"customer": label(19)}), "harness.memory.labels.customer.number"),
    (memory(labels={"customer": label("5")}), "harness.memory.labels.customer.number"),
    (memory(labels={"customer": label(5.5)}), "harness.memory.labels.customer.number"),
    (memory(labels={"customer": label(5), "ticket": label(5)}), "harness.memory.labels.ticket.number"),
    (memory(labels={"customer": label(5, "")}), "harness.memory.labels.customer.description"),
    (memory(labels={"customer": {"number": 5}}), "harness.memory.labels.customer.description"),
    (memory(labels={"customer": {"description": "x"}}), "harness.memory.labels.customer.number"),
    (memory(labels={"customer": {**label(), "colour": "red"}}), "harness.memory.labels.customer.colour"),
    (memory(labels={"5th": label()}), "harness.memory.labels.5th"),
    (memory(labels={"customer id": label()}), "harness.memory.labels.customer id"),
    (memory(labels={"größe": label()}), "harness.memory.labels.größe"),
    (memory(labels={"a" * 65: label()}), f"harness.memory.labels.{'a' * 65}"),
    (memory(labels=["customer"]), "harness.memory.labels"),
    (memory(search={"mode": "keyword"}), "harness.memory.search.mode"),
    (memory(search={"max_results": 0}), "harness.memory.search.max_results"),
    (memory(search={"max_results": 51}), "harness.memory.search.max_results"),
    (memory(search={"max_results": "5"}), "harness.memory.search.max_results"),
    (memory(search={"max_results": True}), "harness.memory.search.max_results"),
    (memory(search={"min_score": 1.01}), "harness.memory.search.min_score"),
    (memory(search={"min_score": -1.01}), "harness.memory.search.min_score"),
    (memory(search={"min_score": "0.5"}), "harness.memory.search.min_score"),
    (memory(search={"maxResults": 5}), "harness.memory.search.maxResults"),
    (memory(tools=["search_memory"]), "harness.memory.tools[0]"),
    (memory(tools=["add_memory", "drop_memory"]), "harness.memory.tools[1]"),
    (memory(tools="add_memory"), "harness.memory.tools"),
    (memory(extraction={"every": {"messages": 0}}), "harness.memory.extraction.every.messages"),
    (memory(extraction={"every": "hour"}), "harness.memory.extraction.every"),
    (memory(pinned={}), "harness.memory.pinned.max_tokens"),
    ({"history": {"index": "everything"}}, "harness.history.index"),
    ({"history": {}}, "harness.history.index"),
    ({"sessions": False, "history": {"index": "messages"}}, "harness.history"),
]


@pytest.mark.parametrize(("config", "path"), RULES, ids=[f"{i}-{path[:60]}" for i, (_, path) in enumerate(RULES)])
def test_a_broken_rule_is_refused_with_a_message_that_names_its_path(runtime: Runtime, config: Json, path: str) -> None:
    error = refused(runtime, config)
    assert error.code == "INVALID_CONFIG"
    assert not error.retriable
    assert path in error.message
    assert error.path == path


def test_every_fault_of_a_configuration_gets_its_own_message(runtime: Runtime) -> None:
    config = memory(scope={"read": []}, kinds=[], search={"max_results": 99}, labels={"9": label()})
    lines = refused(runtime, config).message.splitlines()
    for path in ("scope.read", "kinds", "search.max_results", "labels.9"):
        assert [line for line in lines if f"harness.memory.{path} " in line], f"no line for {path} in {lines}"
    assert len(lines) == 4


@pytest.mark.parametrize("number", [0, 4, 19, 99])
def test_a_label_number_out_of_range_is_told_the_range(runtime: Runtime, number: int) -> None:
    message = refused(runtime, memory(labels={"customer": label(number)})).message
    assert "5" in message
    assert "18" in message


@pytest.mark.parametrize(
    "config",
    [
        memory(scope={"read": ["agent"], "write": ["session"]}),
        memory(labels={"_": label(5), "b" * 64: label(18)}),
        memory(search={"mode": "vector", "max_results": 50, "min_score": -1}),
        memory(search={"max_results": 1, "min_score": 1.0}),
        memory(tools=["read_memory"]),
        memory(kinds=["only"]),
        {"sessions": False, "memory": {"enabled": True, "scope": {"read": ["agent"], "write": ["agent"]}}},
        {"sessions": False},
        {"memory": {"enabled": False, "scope": {"read": []}, "kinds": [], "labels": {"5th": label(99, "")}}},
    ],
)
def test_a_configuration_that_keeps_the_rules_is_registered(runtime: Runtime, config: Json) -> None:
    assert Agent(runtime, config).version == 1


@pytest.mark.parametrize(
    ("scope", "paths"),
    [
        ({}, ["read", "write"]),
        ({"read": ["agent"]}, ["write"]),
        ({"read": ["session", "agent"], "write": ["agent"]}, ["read"]),
    ],
)
def test_without_sessions_both_scopes_are_agent_and_nothing_is_adapted(
    runtime: Runtime, scope: Json, paths: list[str]
) -> None:
    error = refused(runtime, {"sessions": False, **memory(scope=scope)})
    assert error.code == "INVALID_CONFIG"
    faults = {line.split()[0] for line in error.message.splitlines()}
    assert faults == {f"harness.memory.scope.{name}" for name in paths}


def test_a_refused_configuration_takes_no_version(runtime: Runtime) -> None:
    agent = Agent(runtime, memory())
    with pytest.raises(Refused, match="INVALID_CONFIG"):
        agent.register(memory(kinds=[]))
    assert agent.register(memory(kinds=["fact"])) == 2


@pytest.mark.parametrize(
    "extraction", [{}, {"prompt": "Keep allergies."}, {"every": {"messages": 4}}, {"every": "turn"}]
)
def test_a_review_is_configured_by_what_to_keep_and_how_often(runtime: Runtime, extraction: Json) -> None:
    assert Agent(runtime, memory(extraction=extraction)).register(memory(extraction=extraction)) == 1


# What is not built yet.


@pytest.mark.parametrize(
    ("config", "path"),
    [
        ({"history": {"index": "messages"}}, "harness.history"),
        ({"history": {"index": "messages_and_tools"}}, "harness.history"),
    ],
)
def test_a_field_that_is_not_built_yet_is_refused_by_name(runtime: Runtime, config: Json, path: str) -> None:
    error = refused(runtime, config)
    assert error.code == "UNSUPPORTED"
    assert path in error.message
    assert (error.path or "").startswith(path)


def test_policies_are_refused_until_they_are_built(runtime: Runtime) -> None:
    policy = {"effect": "ALLOW", "actions": ["SELECT"], "resources": ["financial.AgentMemory"]}
    error = refused(runtime, {}, policies=[policy])
    assert (error.code, error.path) == ("UNSUPPORTED", "policies")
    assert Agent(runtime, {}).register({}, policies=[]) == 1


@pytest.mark.parametrize(("field", "value"), [("replayOf", "afe43f6b-faf8-478f-b02a-aec1f8da1e32")])
def test_replays_are_refused_until_they_are_built(agent: Agent, field: str, value: Any) -> None:
    with pytest.raises(Refused) as caught:
        agent.begin(**{field: value})
    assert (caught.value.code, caught.value.path) == ("UNSUPPORTED", field)
    assert agent.begin(preview=False).begun["turn"] == 1


def test_search_history_is_refused_until_it_is_built(agent: Agent) -> None:
    turn = agent.begin()
    error = turn.refusal("callTool", callId="c", name="search_history", input={"query": "seat"})
    assert error.code == "UNSUPPORTED"
    assert "search_history" in error.message
