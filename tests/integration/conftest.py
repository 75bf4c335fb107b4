"""The real OpenSearch, its adapter, and systems on loopback that use it (SPEC §4, §5)."""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from infra.local.system import LocalSystem
from memoir.adapters.opensearch.http import Http
from memoir.adapters.opensearch.index import OpenSearchIndex
from memoir.domain.embedding import EmbedderProfile
from memoir.schema import STREAM_INDEXER
from tests.e2e.between import Between, Rounds
from tests.e2e.conftest import PATIENT, connect
from tests.e2e.driver import Runtime

DIMENSIONS = 8


@pytest.fixture
def profile() -> EmbedderProfile:
    """A model that nobody else uses, so that its index is the test's own."""
    return EmbedderProfile(f"test-{uuid.uuid4()}", DIMENSIONS, floor=0.0, min_score=0.1, part_bytes=100)


@pytest.fixture
def index(opensearch: str, profile: EmbedderProfile) -> Iterator[OpenSearchIndex]:
    """An empty index."""
    http = Http(opensearch, read_seconds=30)
    made = OpenSearchIndex(http, profile, refresh="100ms", search_seconds=20)
    made.ensure()
    yield made
    http.write("DELETE", f"/{made.name}")


@dataclass(frozen=True)
class Indexed:
    """A system whose indexer reaches DynamoDB and OpenSearch through proxies."""

    system: LocalSystem
    runtime: Runtime
    dynamodb: Between
    opensearch: Between

    @property
    def pump(self) -> Any:
        """The stream pump."""
        assert self.system.pump is not None
        return self.system.pump


def _any(_: str) -> bool:
    return True


@pytest.fixture(scope="session")
def indexed(opensearch: str) -> Iterator[Indexed]:
    """The whole system with the index."""
    rounds = Rounds()
    dynamodb, searching = Between(_any, rounds), Between(_any, rounds)
    with LocalSystem(
        embedder="minilm",
        opensearch_url=opensearch,
        functions_dynamodb=dynamodb.stand_before,
        functions_opensearch=searching.stand_before,
        environment=PATIENT,
    ) as system:
        # NOTE: the sweep of each minute would take a request that a test wants the indexer to die at.
        assert system.pump is not None
        system.pump.sweep_seconds = float("inf")
        for between in (dynamodb, searching):
            between.pids = lambda: system.pools[STREAM_INDEXER.name].pids
        yield Indexed(system, connect(system.file), dynamodb, searching)
    dynamodb.stop()
    searching.stop()
