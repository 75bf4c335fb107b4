"""The composition root: makes one of each port, once per container; only functions import it.

Adapters are imported when they are made, so that a function loads nothing it does not need (STYLE "cold imports").
"""

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memoir.schema import INDEX_ENVIRONMENT
from memoir.services.resources import Resources, Secrets
from memoir.settings import Settings, load_settings

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from memoir.adapters.dynamodb.requests import Requests
    from memoir.ports import Embedder, Gather, Reviewer, SearchIndex
    from memoir.services.index_commits import Indexing

CONNECTIONS = 32


@cache
def settings() -> Settings:
    """The function's settings."""
    return load_settings()


@cache
def resources() -> Resources:
    """Everything that services need."""
    from memoir.adapters.dynamodb.agents import DynamoAgentStore
    from memoir.adapters.dynamodb.records import DynamoRecordStore
    from memoir.adapters.dynamodb.turns import DynamoTurnStore
    from memoir.adapters.world import RandomIds, SystemClock

    known = settings()
    memory, transcript = table(known.memory_table), table(known.transcript_table)
    return Resources(
        agents=DynamoAgentStore(memory),
        turns=DynamoTurnStore(memory, transcript),
        records=DynamoRecordStore(memory),
        embedder=embedder(),
        clock=SystemClock(),
        ids=RandomIds(),
        gather=threads(),
        secrets=load_secrets(known),
        index=search_index(),
        reviewer=reviewer(),
    )


@cache
def reviewer() -> "Reviewer | None":
    """The review model with its prompts, or ``None`` where the environment names none."""
    from memoir.adapters.review_models import load_prompts, make_review_model
    from memoir.ports import Reviewer

    known = settings()
    if not known.review_model:
        return None
    model = make_review_model(known.review_model, known.review_key.get_secret_value())
    return Reviewer(model, load_prompts(known.prompts), known.review_seconds)


@cache
def indexing() -> "Indexing":
    """What the stream's indexer works with.

    Raises:
        ValueError: The environment names no index.
    """
    from memoir.adapters.dynamodb.outbox import DynamoOutboxStore
    from memoir.adapters.dynamodb.records import DynamoRecordStore
    from memoir.adapters.world import SystemClock
    from memoir.services.index_commits import Indexing

    index = search_index()
    if index is None:
        raise ValueError(f"{INDEX_ENVIRONMENT} must name the index's endpoint")
    memory = table(settings().memory_table)
    return Indexing(DynamoOutboxStore(memory), DynamoRecordStore(memory), index, embedder(), SystemClock())


@cache
def search_index() -> "SearchIndex | None":
    """The index of the embedder's model, or ``None`` where the environment names none."""
    from memoir.adapters.opensearch.circuit import Circuit
    from memoir.adapters.opensearch.http import Http
    from memoir.adapters.opensearch.index import OpenSearchIndex

    known = settings()
    if not known.opensearch_endpoint:
        return None
    index = OpenSearchIndex(
        Http(known.opensearch_endpoint, known.index_seconds),
        embedder().profile,
        refresh=known.index_refresh,
        search_seconds=known.index_seconds * 2 / 3,
    )
    return Circuit(index, known.index_retry_seconds)


@cache
def embedder() -> "Embedder":
    """The environment's embedder; its model is loaded when it is first needed."""
    from memoir.adapters.embedders import make_embedder

    known = settings()
    return make_embedder(
        known.embedder, threads(), dimensions=known.embedder_dimensions, key=known.embedder_key.get_secret_value()
    )


@cache
def threads() -> "Gather":
    """The container's threads."""
    from memoir.adapters.threads import Threads

    return Threads()


def table(name: str) -> "Requests":
    """Requests to one table."""
    from memoir.adapters.dynamodb.requests import Requests

    return Requests(dynamodb(), name, threads())


@cache
def dynamodb() -> "DynamoDBClient":
    """The container's DynamoDB client."""
    import boto3
    from botocore.config import Config

    config = Config(
        max_pool_connections=CONNECTIONS,
        connect_timeout=2,
        read_timeout=10,
        retries={"mode": "standard", "total_max_attempts": 4},
        # Our own code builds every request, and DynamoDB checks it again.
        parameter_validation=False,
    )
    client: DynamoDBClient = boto3.client("dynamodb", config=config)
    return client


def load_secrets(known: Settings) -> Secrets:
    """Read the environment's keys, from a file or from Secrets Manager.

    Raises:
        ValueError: Neither is named.
    """
    if known.secret_file:
        text = Path(known.secret_file).read_text()
    elif known.secret_id:
        import boto3

        answer: dict[str, Any] = boto3.client("secretsmanager").get_secret_value(SecretId=known.secret_id)
        text = answer["SecretString"]
    else:
        raise ValueError("MEMOIR_SECRET_FILE or MEMOIR_SECRET_ID must name the keys of this environment")
    keys = json.loads(text)
    return Secrets(bytes.fromhex(keys["lock_key"]), tuple(bytes.fromhex(one) for one in keys["signing_keys"]))
