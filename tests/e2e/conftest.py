"""One local system for all end-to-end tests; every test uses agents of its own (SPEC §14)."""

import json
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.config import Config
from infra.local.system import LocalSystem

from tests.e2e.driver import Agent, Runtime, lexical


@pytest.fixture(scope="session")
def system() -> Iterator[LocalSystem]:
    """The whole system on loopback, gone afterwards."""
    with LocalSystem() as running:
        yield running


def lambda_client(where: dict[str, Any]) -> Any:
    """boto3's own Lambda client, as any project would make it from ``.memoir/local.json``."""
    return boto3.client(
        "lambda",
        endpoint_url=where["lambda_endpoint"],
        region_name=where["region"],
        aws_access_key_id="any",
        aws_secret_access_key="any",
        config=Config(read_timeout=900, retries={"total_max_attempts": 1}, max_pool_connections=50),
    )


@pytest.fixture(scope="session")
def runtime(system: LocalSystem) -> Runtime:
    """The ``agent_runtime`` function."""
    where = json.loads(system.file.read_text())
    return Runtime(lambda_client(where), where["functions"]["agent_runtime"])


@pytest.fixture
def agent(runtime: Runtime) -> Agent:
    """A fresh agent with both scopes and every tool, searching by words and meaning."""
    return Agent(runtime)


@pytest.fixture
def words(runtime: Runtime) -> Agent:
    """A fresh agent that searches by words alone."""
    return Agent(runtime, lexical())


@pytest.fixture(scope="session")
def shared(runtime: Runtime) -> Agent:
    """One agent for tests that use a session of their own and change nothing."""
    return Agent(runtime)


@pytest.fixture(scope="session")
def crowd(runtime: Runtime) -> Agent:
    """An agent with 1,000 records of agent scope."""
    agent = Agent(runtime, lexical())
    agent.seed([f"fact {n}" for n in range(1_000)], scope="agent")
    return agent
