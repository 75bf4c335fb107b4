"""Local systems for the end-to-end tests; every test uses agents of its own (SPEC §14).

``MEMOIR_E2E_INDEX`` says how much of the index runs: ``on``, ``stopped`` (no indexer) or ``off``.
"""

import inspect
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.config import Config

from infra.local.system import LocalSystem
from tests.e2e.between import Between
from tests.e2e.driver import Agent, Runtime, lexical


def index_arguments(wanted: str) -> dict[str, Any]:
    """Arguments of ``LocalSystem`` for ``on``, ``stopped`` or ``off``, as far as it knows them."""
    known = inspect.signature(LocalSystem).parameters
    asked = {"opensearch": wanted != "off", "indexer": wanted == "on"}
    return {name: value for name, value in asked.items() if name in known}


def connect(file: Path) -> Runtime:
    """The ``agent_runtime`` function, as any project finds it by ``.memoir/local.json`` and boto3's Lambda client."""
    where = json.loads(file.read_text())
    client = boto3.client(
        "lambda",
        endpoint_url=where["lambda_endpoint"],
        region_name=where["region"],
        aws_access_key_id="any",
        aws_secret_access_key="any",
        config=Config(read_timeout=900, retries={"total_max_attempts": 1}, max_pool_connections=50),
    )
    return Runtime(client, where["functions"]["agent_runtime"])


@pytest.fixture(scope="session")
def system() -> Iterator[LocalSystem]:
    """The whole system on loopback, gone afterwards."""
    with LocalSystem(**index_arguments(os.environ.get("MEMOIR_E2E_INDEX", "off"))) as running:
        yield running


@pytest.fixture(scope="session")
def runtime(system: LocalSystem) -> Runtime:
    """The ``agent_runtime`` function."""
    return connect(system.file)


@dataclass(frozen=True)
class Watched:
    """A system without the index whose functions reach DynamoDB through a proxy."""

    runtime: Runtime
    between: Between


@contextmanager
def watched_system() -> Iterator[Watched]:
    """Run such a system."""
    between = Between()
    with LocalSystem(functions_dynamodb=between.stand_before, embedder="minilm", **index_arguments("off")) as running:
        between.pids = lambda: running.pools[running.function_name].pids
        yield Watched(connect(running.file), between)
    between.stop()


@pytest.fixture(scope="session")
def watched() -> Iterator[Watched]:
    """A system of its own for killing functions."""
    with watched_system() as running:
        yield running


@dataclass(frozen=True)
class Crowd(Watched):
    """A system with an agent of 10 records and one of 1,000, for counting requests."""

    agents: dict[int, Agent]


@pytest.fixture(scope="session")
def crowd() -> Iterator[Crowd]:
    """The crowd, complete."""
    with watched_system() as running:
        agents = {size: Agent(running.runtime) for size in (10, 1_000)}
        for size, agent in agents.items():
            agent.seed([f"fact {n}" for n in range(size)], "seed", scope="agent")
        yield Crowd(running.runtime, running.between, agents)


@pytest.fixture(autouse=True)
def nobody_dies_of_an_earlier_test(request: pytest.FixtureRequest) -> Iterator[None]:
    """A kill that was ordered and did not come is taken back."""
    yield
    if "watched" in request.fixturenames:
        request.getfixturevalue("watched").between.disarm()


@pytest.fixture
def agent(runtime: Runtime) -> Agent:
    """A fresh agent with both scopes and every tool, searching by words and meaning."""
    return Agent(runtime)


@pytest.fixture
def words(runtime: Runtime) -> Agent:
    """A fresh agent that searches by words alone."""
    return Agent(runtime, lexical())
