"""The stores twice: in memory, and in DynamoDB on loopback; every contract holds for both."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import boto3
import pytest

from infra.local.processes import Child
from memoir.adapters.dynamodb.agents import DynamoAgentStore
from memoir.adapters.dynamodb.records import DynamoRecordStore
from memoir.adapters.dynamodb.requests import Requests
from memoir.adapters.dynamodb.turns import DynamoTurnStore
from memoir.adapters.threads import Threads
from memoir.ports import AgentStore, RecordStore, TurnStore
from memoir.schema import TABLES
from tests.fake_turns import FakeTurns
from tests.fakes import FakeAgents, FakeRecords

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_NUMBERS = itertools.count()


@dataclass(frozen=True)
class Stores:
    """One of each store, over the same data."""

    agents: AgentStore
    turns: TurnStore
    records: RecordStore


@pytest.fixture(scope="session")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator["DynamoDBClient"]:
    """DynamoDB on loopback."""
    log = Path(tmp_path_factory.mktemp("contracts")) / "dynamodb.log"
    child = Child("DynamoDB", ["infra.local.dynamodb"], {}, log)
    endpoint = child.ready()["endpoint"]
    yield boto3.Session("any", "any", region_name="us-east-1").client("dynamodb", endpoint_url=endpoint)
    child.stop()


@pytest.fixture(params=["in memory", "in DynamoDB"])
def stores(request: pytest.FixtureRequest) -> Stores:
    """Empty stores."""
    if request.param == "in memory":
        records = FakeRecords()
        return Stores(FakeAgents(), FakeTurns(records), records)
    client: DynamoDBClient = request.getfixturevalue("client")
    number = next(_NUMBERS)
    names = [f"{table.name}-{number}" for table in TABLES]
    for table, name in zip(TABLES, names, strict=True):
        client.create_table(**table.create_table_arguments(name))  # type: ignore[arg-type]
    memory, transcript = (Requests(client, name, Threads()) for name in names)
    return Stores(DynamoAgentStore(memory), DynamoTurnStore(memory, transcript), DynamoRecordStore(memory))
