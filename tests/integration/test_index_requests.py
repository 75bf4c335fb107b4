"""What a search asks of DynamoDB and OpenSearch does not grow with the memory; the page says how much it is."""

import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import boto3
import pytest

from memoir.adapters.dynamodb.requests import Requests
from memoir.adapters.opensearch.http import Http
from memoir.adapters.opensearch.index import OpenSearchIndex
from memoir.adapters.threads import Threads
from memoir.schema import MEMORY_TABLE
from tests.bench.speed.seed import seed
from tests.e2e.between import READS
from tests.e2e.driver import Agent, Turn, new_id
from tests.e2e.requests_table import QUIET
from tests.integration.conftest import Indexed
from tests.integration.documents import PROFILE

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

PAGE = Path(__file__).parents[2] / "docs" / "requests-with-index.md"
SIZES = (10, 1_000)
QUERY = "What did Maya order in Lisbon?"
CALLS: dict[str, Callable[[Turn], object]] = {
    "recall": lambda turn: turn.recall(QUERY),
    "recall, without text": lambda turn: turn.recall(),
    "search_memory, by query": lambda turn: turn.search(QUERY),
}
TEXT = """# Requests of a search with the index

What a call that searches costs, in a warm function, with the index caught up: counted by proxies before DynamoDB and
OpenSearch, and **the same at 10 records and at 1,000** of one agent. `make test` counts again and fails when this page
is not true (`tests/integration/test_index_requests.py`; `MEMOIR_WRITE_DOCS=1` writes the page anew). What the other
operations cost does not depend on the index: see [requests.md](requests.md).

- **OpenSearch**: requests to it; one `_msearch` holds the words arm, the meaning arm and the counts.
- **in sequence**: of all these requests, the most that had to wait for one another; the others run side by side.

| operation | reads | transactions | OpenSearch | in sequence |
|---|--:|--:|--:|--:|
"""


@dataclass(frozen=True)
class Cost:
    """Requests of one call."""

    reads: int
    transactions: int
    opensearch: int
    in_sequence: int


@pytest.fixture(scope="module")
def costs(indexed: Indexed) -> dict[str, dict[int, Cost]]:
    """What each call costs, by name and size."""
    client: DynamoDBClient = boto3.Session("any", "any", region_name="us-east-1").client(
        "dynamodb", endpoint_url=indexed.system.dynamodb_endpoint
    )
    assert indexed.system.opensearch_endpoint is not None
    index = OpenSearchIndex(Http(indexed.system.opensearch_endpoint), PROFILE)
    found: dict[str, dict[int, Cost]] = {name: {} for name in CALLS}
    for size in SIZES:
        agent = Agent(indexed.runtime)
        seed(agent.id, size, Requests(client, MEMORY_TABLE.name, Threads()), index, PROFILE)
        for quiet in (0.0, QUIET):
            turn = agent.begin(new_id(), QUERY)
            for name, call in CALLS.items():
                found[name][size] = cost(indexed, partial(call, turn), quiet)
    if os.environ.get("MEMOIR_WRITE_DOCS"):
        rows = [f"| {name} | {' | '.join(map(str, vars(by[SIZES[0]]).values()))} |" for name, by in found.items()]
        PAGE.write_text(TEXT + "\n".join(rows) + "\n", encoding="utf-8")
    return found


def cost(indexed: Indexed, call: Callable[[], object], quiet: float) -> Cost:
    with indexed.dynamodb.watching(quiet) as stored, indexed.opensearch.watching(quiet) as searched:
        call()
    return Cost(
        reads=sum(one.operation in READS for one in stored),
        transactions=sum(one.operation == "TransactWriteItems" for one in stored),
        opensearch=len(searched),
        in_sequence=len({one.round for one in [*stored, *searched]}),
    )


def test_a_search_costs_the_same_at_any_size(costs: dict[str, dict[int, Cost]]) -> None:
    small, large = SIZES
    for name, by_size in costs.items():
        assert by_size[small] == by_size[large], name


def test_a_search_asks_opensearch_once_and_takes_at_most_five_round_trips(costs: dict[str, dict[int, Cost]]) -> None:
    for name, by_size in costs.items():
        for found in by_size.values():
            assert found.opensearch == 1, name
            assert found.in_sequence <= 5, name


def test_the_page_is_true(costs: dict[str, dict[int, Cost]]) -> None:
    page = PAGE.read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| ")][1:]
    told = {name: Cost(*map(int, numbers)) for name, *numbers in rows}
    assert told == {name: by_size[SIZES[1]] for name, by_size in costs.items()}
    assert len(fields(Cost)) == len(rows[0]) - 1
