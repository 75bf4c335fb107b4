"""Versions of an agent: permanent labels, registrations at once, which version a turn runs (SPEC §2)."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.e2e.driver import Agent, Json, Refused, Runtime, harness
from tests.e2e.test_register import label, memory

# Labels are permanent.


def test_a_later_version_may_add_labels_and_describe_them_anew(runtime: Runtime) -> None:
    agent = Agent(runtime, memory(labels={"customer": label(5)}))
    assert agent.register(memory(labels={"customer": label(5, "Who asks."), "ticket": label(6)})) == 2


@pytest.mark.parametrize(
    "labels",
    [{}, {"customer": label(6)}, {"client": label(5)}, {"ticket": label(7), "client": label(5)}],
    ids=["dropped", "renumbered", "renamed", "dropped one of two"],
)
def test_a_later_version_keeps_every_label_with_its_number(runtime: Runtime, labels: Json) -> None:
    agent = Agent(runtime, memory(labels={"customer": label(5)}))
    with pytest.raises(Refused) as caught:
        agent.register(memory(labels=labels))
    assert caught.value.code == "INVALID_CONFIG"
    assert "harness.memory.labels.customer" in caught.value.message


def test_labels_outlive_a_version_without_memory(runtime: Runtime) -> None:
    agent = Agent(runtime, memory(labels={"customer": label(5)}))
    assert agent.register({"memory": {"enabled": False}}) == 2
    with pytest.raises(Refused, match=r"harness\.memory\.labels\.customer"):
        agent.register(memory(labels={"ticket": label(6)}))
    assert agent.register(memory(labels={"customer": label(5), "ticket": label(6)})) == 3


def attempt(agent: Agent, config: Json) -> int | str:
    try:
        return agent.register(config)
    except Refused as refusal:
        return refusal.code


def test_of_two_registrations_at_once_that_drop_each_others_label_one_is_refused(runtime: Runtime) -> None:
    for _ in range(4):
        agent = Agent(runtime, memory())
        configs = [memory(labels={"customer": label(5)}), memory(labels={"ticket": label(6)})]
        with ThreadPoolExecutor(2) as pool:
            outcomes = list(pool.map(lambda config, agent=agent: attempt(agent, config), configs))
        assert sorted(outcomes, key=str) == [2, "INVALID_CONFIG"]


def test_of_two_registrations_at_once_that_take_one_number_one_is_refused(runtime: Runtime) -> None:
    agent = Agent(runtime, memory())
    configs = [memory(labels={"customer": label(5)}), memory(labels={"customer": label(6)})]
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(lambda config: attempt(agent, config), configs))
    assert sorted(outcomes, key=str) == [2, "INVALID_CONFIG"]


def test_registrations_at_once_of_other_contents_get_versions_of_their_own(runtime: Runtime) -> None:
    agent = Agent(runtime, memory())
    configs = [memory(kinds=[f"kind {n}"]) for n in range(6)]
    with ThreadPoolExecutor(6) as pool:
        versions = list(pool.map(agent.register, configs))
    assert sorted(versions) == [2, 3, 4, 5, 6, 7]


def test_registrations_at_once_of_one_content_are_one_version(runtime: Runtime) -> None:
    agent = Agent(runtime, memory())
    with ThreadPoolExecutor(6) as pool:
        versions = list(pool.map(agent.register, [memory(kinds=["fact"])] * 6))
    assert set(versions) == {2}


# Which version a turn runs.


def test_a_turn_runs_the_version_it_names_or_the_latest(runtime: Runtime) -> None:
    agent = Agent(runtime, memory())
    agent.register(memory(tools=["add_memory"]))
    assert agent.begin("a").begun["version"] == 2
    old = agent.begin("b", version=1)
    assert old.begun["version"] == 1
    assert [tool["name"] for tool in old.begun["tools"]] == ["search_memory"]


def test_a_retry_keeps_the_version_of_its_first_invocation(runtime: Runtime) -> None:
    agent = Agent(runtime, memory())
    first = agent.begin()
    first.rollback()
    agent.register(memory(tools=["add_memory"]))
    assert first.retry().begun["version"] == 1
    assert agent.begin("another session").begun["version"] == 2


def test_what_a_later_version_removes_leaves_records_as_they_are(runtime: Runtime) -> None:
    agent = Agent(runtime, harness(kinds=["fact", "rumour"]))
    kept = agent.remember("the lift is said to be slow", kind="rumour")
    agent.register(harness(kinds=["fact"]))
    with agent.turn() as turn:
        entry = turn.read(kept)
        assert (entry["kind"], entry["version"], entry["status"]) == ("rumour", 1, "ACTIVE")
        assert turn.found("lift") == ["the lift is said to be slow"]
