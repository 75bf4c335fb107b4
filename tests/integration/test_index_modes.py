"""One answer, whatever finds the candidates: the index, the overlay, the turn, or the table alone (SPEC §4, §5)."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from infra.local.system import LocalSystem
from tests.e2e.conftest import connect
from tests.e2e.driver import Agent, Turn, harness, new_id
from tests.integration.conftest import Indexed
from tests.integration.documents import caught_up

TEXTS = [
    *(
        f"{who} {verb} {what}"
        for who in ("Maya", "Otto", "Lena")
        for verb in ("likes", "ordered", "lost")
        for what in ("green tea", "a red bicycle", "the invoice OR-9917-2", "two tickets to Oslo")
    ),
    "彼女は京都に住んでいます",
    "她喜欢喝绿茶",
    "Она живёт в Москве",
    "เธอชอบดื่มชา",
    "هي تعيش في القاهرة",
    "Order OR-9917-3 was cancelled",
    "The door code is ZX-99417-QP",
    "The door code was ZX-99417-QR",
]
QUERIES = [
    "Who likes tea?",
    "OR-9917-2",
    "zx-99417-qp",
    "Where does she live?",
    "京都",
    "绿茶",
    "Москва",
    "ชา",
    "القاهرة",
    "something to ride",
    "the",
    "tickets invoice bicycle door order",
]
LABELS = {"customer": {"number": 5, "description": "The customer."}}


COMMITTED = 15
"""Texts that are committed when the others wait in the turn."""


def add(turn: Turn, numbers: range) -> None:
    """Texts as records: every third with a label, every fourth an event."""
    for number in numbers:
        labels = {"customer": f"C-{number % 2}"} if number % 3 == 0 else {}
        turn.add(TEXTS[number], "event" if number % 4 == 0 else "fact", scope="agent", labels=labels)


def written(agent: Agent, count: int = len(TEXTS)) -> None:
    """The first texts, committed in some turns."""
    for start in range(0, count, COMMITTED):
        with agent.turn() as turn:
            add(turn, range(start, min(count, start + COMMITTED)))


@pytest.fixture(scope="module", params=["hybrid", "lexical", "vector"])
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def alone(opensearch: str) -> Iterator[LocalSystem]:
    """A system without OpenSearch."""
    with LocalSystem(embedder="minilm", opensearch=False) as system:
        yield system


def config(mode: str) -> dict[str, Any]:
    return harness(labels=LABELS, search={"mode": mode, "max_results": 50})


@pytest.fixture(scope="module")
def agents(indexed: Indexed, alone: LocalSystem) -> dict[str, Agent]:
    """An agent with the records in each situation."""
    made = {
        "in the index": Agent(indexed.runtime, config("hybrid")),
        "not in the index yet": Agent(indexed.runtime, config("hybrid")),
        "without OpenSearch": Agent(connect(alone.file), config("hybrid")),
        "in the turn itself": Agent(indexed.runtime, config("hybrid")),
    }
    indexed.pump.switches.stopped = False
    written(made["in the index"])
    caught_up(indexed, made["in the index"].id)
    indexed.pump.switches.losing = True
    written(made["not in the index yet"])
    written(made["in the turn itself"], COMMITTED)
    written(made["without OpenSearch"])
    indexed.pump.switches.losing = False
    return made


@pytest.fixture(scope="module")
def turns(agents: dict[str, Agent], mode: str) -> dict[str, Turn]:
    """A turn in each situation, searching in one mode."""
    for agent in agents.values():
        agent.register(config(mode))
    begun = {name: agent.begin(new_id()) for name, agent in agents.items()}
    add(begun["in the turn itself"], range(COMMITTED, len(TEXTS)))
    return begun


def answers(turns: dict[str, Turn], **asked: Any) -> dict[str, list[tuple[str, Any]]]:
    """What each turn finds, with its scores."""
    found = {}
    for name, turn in turns.items():
        output = turn.done("search_memory", explain=True, **asked).output
        scores = {one["memoryId"]: one for one in output["explain"]["results"]}
        found[name] = [
            (one["summary"], pytest.approx(scores[one["memoryId"]]["score"], abs=1e-4)) for one in output["sources"]
        ]
    return found


@pytest.mark.parametrize("query", QUERIES)
def test_every_situation_gives_the_same_records_in_the_same_order(turns: dict[str, Turn], query: str) -> None:
    found = answers(turns, query=query)
    first = found.pop("in the index")
    for name, other in found.items():
        assert other == first, name


@pytest.mark.parametrize("filters", [{"kind": "event"}, {"labels": {"customer": "C-1"}}, {"kind": "fact", "limit": 3}])
def test_filters_and_limits_do_the_same_in_every_situation(turns: dict[str, Turn], filters: dict[str, Any]) -> None:
    found = answers(turns, query="Who likes tea, or tickets to Oslo?", **filters)
    first = found.pop("in the index")
    assert first
    for name, other in found.items():
        assert other == first, name


@settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(
    query=st.text(max_size=60).filter(lambda text: not any("\ud800" <= c <= "\udfff" for c in text)),
    limit=st.integers(1, 50),
    kind=st.sampled_from([None, "fact", "event"]),
)
def test_any_text_is_a_query_and_finds_the_same_in_every_situation(
    turns: dict[str, Turn], query: str, limit: int, kind: str | None
) -> None:
    asked = {"query": query, "limit": limit, **({"kind": kind} if kind else {})}
    found = {name: turn.done("search_memory", **asked).summaries for name, turn in turns.items()}
    first = found.pop("in the index")
    assert len(first) <= limit
    assert set(first) <= set(TEXTS)
    for name, other in found.items():
        if query.strip():
            assert other == first, name
        else:
            assert set(other) == set(first) or len(first) == limit, name
