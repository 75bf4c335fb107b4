"""Vectors that the embedder could not make when it was down come later (SPEC §5, issue of the index)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import boto3
import pytest

from memoir.adapters.dynamodb.outbox import DynamoOutboxStore
from memoir.adapters.dynamodb.records import DynamoRecordStore
from memoir.adapters.dynamodb.requests import Requests
from memoir.adapters.embedders import make_embedder
from memoir.adapters.opensearch.http import Http
from memoir.adapters.opensearch.index import OpenSearchIndex
from memoir.adapters.threads import Threads
from memoir.adapters.world import SystemClock
from memoir.domain.embedding import Embedding
from memoir.domain.errors import EmbedderUnavailable
from memoir.ports import OutboxKey
from memoir.schema import MEMORY_TABLE
from memoir.services.index_commits import Indexing, index_commits
from tests.e2e.driver import Agent
from tests.integration.conftest import Indexed
from tests.integration.documents import assert_equal, indexed_documents, waiting
from tests.integration.test_index_stream import outbox_keys

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class Down:
    """An embedder that does not answer."""

    profile = make_embedder("minilm", Threads()).profile

    def embed_query(self, text: str) -> Embedding:
        raise EmbedderUnavailable("down")

    def embed_documents(self, texts: Sequence[str]) -> list[Embedding | None]:
        raise EmbedderUnavailable("down")


@pytest.fixture
def client(indexed: Indexed) -> "DynamoDBClient":
    session = boto3.Session("any", "any", region_name="us-east-1")
    made: DynamoDBClient = session.client("dynamodb", endpoint_url=indexed.system.dynamodb_endpoint)
    return made


@pytest.fixture
def ports(indexed: Indexed, client: "DynamoDBClient") -> Indexing:
    memory = Requests(client, MEMORY_TABLE.name, Threads())
    embedder = make_embedder("minilm", Threads())
    assert indexed.system.opensearch_endpoint
    index = OpenSearchIndex(Http(indexed.system.opensearch_endpoint), embedder.profile)
    return Indexing(DynamoOutboxStore(memory), DynamoRecordStore(memory), index, embedder, SystemClock())


def test_a_record_without_vector_is_found_by_its_words_and_gets_its_vector_when_the_embedder_is_back(
    indexed: Indexed, ports: Indexing, client: "DynamoDBClient"
) -> None:
    indexed.pump.switches.losing = True
    agent = Agent(indexed.runtime)
    ids = agent.seed(["Maya drinks green tea", "The train leaves at nine"], scope="agent")
    for memory_id in ids:  # as if the embedder had been down at the commit, too
        client.update_item(
            TableName=MEMORY_TABLE.name,
            Key={"pk": {"S": f"R#{agent.id}#{memory_id}"}, "sk": {"S": "R"}},
            UpdateExpression="REMOVE #vector, model",
            ExpressionAttributeNames={"#vector": "vector"},
        )
    keys = [OutboxKey(one["pk"], one["sk"]) for one in outbox_keys(indexed, agent)]
    assert index_commits(replace(ports, embedder=Down()), keys) == 0
    found = indexed_documents(indexed, agent.id)
    assert len(found) == 2
    assert all("stored_vector" not in body for _, body in found.values())
    assert waiting(indexed, agent.id) == 1
    with agent.turn() as turn:
        assert turn.search("tea").summaries == ["Maya drinks green tea"]
    assert index_commits(ports, keys) == 1
    indexed.pump.switches.losing = False
    assert waiting(indexed, agent.id) == 0
    assert all("stored_vector" in body for _, body in indexed_documents(indexed, agent.id).values())
    assert_equal(indexed, agent.id)
