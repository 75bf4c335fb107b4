"""The composition root: makes one of each port, once per container; only functions import it.

Adapters are imported when they are made, so that a function loads nothing it does not need (STYLE "cold imports").
"""

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memoir.services.resources import Resources, Secrets
from memoir.settings import Settings, load_settings

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

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
    from memoir.adapters.dynamodb.requests import Requests
    from memoir.adapters.dynamodb.turns import DynamoTurnStore
    from memoir.adapters.embedders import make_embedder
    from memoir.adapters.threads import Threads
    from memoir.adapters.world import RandomIds, SystemClock

    known = settings()
    gather = Threads()
    memory = Requests(dynamodb(), known.memory_table, gather)
    transcript = Requests(dynamodb(), known.transcript_table, gather)
    return Resources(
        agents=DynamoAgentStore(memory),
        turns=DynamoTurnStore(memory, transcript),
        records=DynamoRecordStore(memory),
        embedder=make_embedder(known.embedder),
        clock=SystemClock(),
        ids=RandomIds(),
        gather=gather,
        secrets=load_secrets(known),
    )


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
