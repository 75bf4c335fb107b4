"""OpenSearch refusing, slow, red, wrong or without its index: memoir answers from the table and says so (CASES X6)."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from infra.local.system import LocalSystem
from tests.e2e.conftest import connect
from tests.e2e.driver import Agent, Runtime, new_id
from tests.integration.faulty import Fault, Faulty

OPEN_SECONDS = 1.0
LIMIT_SECONDS = 6.0
"""A search that meets the fault first waits for it, at most three seconds, and then ranks what the table holds."""


@dataclass(frozen=True)
class Troubled:
    """A system whose functions reach OpenSearch through a stand-in for its troubles."""

    runtime: Runtime
    faulty: Faulty


@pytest.fixture(scope="module")
def troubled(opensearch: str) -> Iterator[Troubled]:
    faulty = Faulty()
    with LocalSystem(
        embedder="minilm",
        opensearch_url=opensearch,
        functions_opensearch=faulty.stand_before,
        indexer=False,
        environment={"MEMOIR_INDEX_RETRY_SECONDS": str(OPEN_SECONDS)},
    ) as system:
        yield Troubled(connect(system.file), faulty)
    faulty.stop()


@pytest.fixture
def agent(troubled: Troubled) -> Iterator[Agent]:
    agent = Agent(troubled.runtime)
    agent.seed(["Maya drinks green tea", "The train to Oslo leaves at nine", "The code is ZX-99417-QP"], scope="agent")
    yield agent
    troubled.faulty.fault = None
    until_back(agent)


def until_back(agent: Agent) -> None:
    """Wait until searches use the index again."""
    ends = time.monotonic() + 10 * OPEN_SECONDS
    turn = agent.begin(new_id())
    while "degraded" in turn.done("search_memory", query="tea").output:
        assert time.monotonic() < ends, "the index was not tried again"
        time.sleep(0.2)
    turn.rollback()


@pytest.mark.parametrize("fault", list(Fault))
def test_x6_whatever_is_wrong_with_opensearch_the_same_records_are_found_in_time_and_it_is_said(
    troubled: Troubled, agent: Agent, fault: Fault
) -> None:
    turn = agent.begin(new_id(), "What does Maya like to drink?")
    well = turn.done("search_memory", query="what does she drink?")
    assert "degraded" not in well.output
    troubled.faulty.fault = fault
    started = time.monotonic()
    first = turn.done("search_memory", query="what does she drink?")
    assert time.monotonic() - started < LIMIT_SECONDS
    started = time.monotonic()
    second = turn.done("search_memory", query="what does she drink?")
    waited = time.monotonic() - started
    for found in (first, second):
        assert found.summaries == well.summaries
        assert found.output["degraded"]["missing"] == ["index"]
        assert found.output["degraded"]["searched"] == 3
        assert "index" in found.text
    assert waited < OPEN_SECONDS, "the circuit is open: nobody waits again"
    recalled = turn.recall()
    assert recalled["degraded"]["missing"] == ["index"]
    assert "Maya drinks green tea" in recalled["block"]


def test_x6_a_query_that_finds_nothing_while_the_index_is_away_is_not_called_no_memories(
    troubled: Troubled, agent: Agent
) -> None:
    troubled.faulty.fault = Fault.BUSY
    turn = agent.begin(new_id())
    found = turn.done("search_memory", query="xylophone", labels={})
    assert found.output["degraded"]["missing"] == ["index"]
    assert "index" in found.text


def test_commits_go_on_and_what_they_wrote_is_found(troubled: Troubled, agent: Agent) -> None:
    troubled.faulty.fault = Fault.REFUSING
    agent.remember("She bought a lamp", scope="agent")
    with agent.turn(new_id()) as turn:
        assert turn.search("lamp").summaries[0] == "She bought a lamp"
