"""Names of tables, keys, indexes, streams and functions: the one truth of CDK, the local system and the adapters.

Constants and their shapes only; no I/O and no import of ours, so that ``infra`` may read it.
"""

from dataclasses import dataclass, field

FORMAT_VERSION = 1
"""Written into every item, cursor and token from the first commit (SPEC §13)."""

PK = "pk"
SK = "sk"
GSI_SWEEP = "gsi1"
"""Outbox items by shard and time, and an agent's records for the API's list."""
GSI_LIST = "gsi2"
"""The agent's own lists: ACTIVE records of one scope, by creation time."""


@dataclass(frozen=True, slots=True)
class IndexDefinition:
    """A sparse, KEYS_ONLY global secondary index with string keys ``<name>pk`` and ``<name>sk``."""

    name: str

    @property
    def pk(self) -> str:
        """Partition key attribute."""
        return f"{self.name}pk"

    @property
    def sk(self) -> str:
        """Sort key attribute."""
        return f"{self.name}sk"


@dataclass(frozen=True, slots=True)
class TableDefinition:
    """One DynamoDB table: string keys ``pk`` and ``sk``, on demand."""

    name: str
    environment: str
    indexes: tuple[IndexDefinition, ...] = ()
    stream: bool = False

    def create_table_arguments(self, table_name: str | None = None) -> dict[str, object]:
        """The arguments of DynamoDB's ``CreateTable``."""
        keys = [PK, SK, *(key for index in self.indexes for key in (index.pk, index.sk))]
        arguments: dict[str, object] = {
            "TableName": table_name or self.name,
            "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": key, "AttributeType": "S"} for key in keys],
            "KeySchema": _key_schema(PK, SK),
        }
        if self.indexes:
            arguments["GlobalSecondaryIndexes"] = [
                {
                    "IndexName": index.name,
                    "KeySchema": _key_schema(index.pk, index.sk),
                    "Projection": {"ProjectionType": "KEYS_ONLY"},
                }
                for index in self.indexes
            ]
        if self.stream:
            arguments["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
        return arguments


def _key_schema(hash_key: str, range_key: str) -> list[dict[str, str]]:
    return [{"AttributeName": hash_key, "KeyType": "HASH"}, {"AttributeName": range_key, "KeyType": "RANGE"}]


MEMORY_TABLE = TableDefinition(
    "memoir-memory", "MEMOIR_MEMORY_TABLE", (IndexDefinition(GSI_SWEEP), IndexDefinition(GSI_LIST)), stream=True
)
TRANSCRIPT_TABLE = TableDefinition("memoir-transcript", "MEMOIR_TRANSCRIPT_TABLE")
TABLES = (MEMORY_TABLE, TRANSCRIPT_TABLE)

OUTBOX_PREFIX = "O#"
"""Sort-key prefix of outbox items: the only inserts that the stream's filter lets through."""
OUTBOX_SHARDS = 8


@dataclass(frozen=True, slots=True)
class FunctionDefinition:
    """One Lambda function.

    Attributes:
        key: Its name in ``.memoir/local.json`` and its folder under ``functions/``.
        timeout: Seconds.
        memory: Megabytes.
    """

    key: str
    timeout: int
    memory: int
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The function's name."""
        return f"memoir-{self.key.replace('_', '-')}"

    @property
    def handler(self) -> str:
        """Module and attribute, as the local workers import it."""
        return f"functions.{self.key}.handler:handler"


INDEX_ENVIRONMENT = "MEMOIR_OPENSEARCH_ENDPOINT"
AGENT_RUNTIME = FunctionDefinition("agent_runtime", timeout=120, memory=1024)
STREAM_INDEXER = FunctionDefinition("stream_indexer", timeout=120, memory=1024)
INDEX_ADMIN = FunctionDefinition("index_admin", timeout=120, memory=512)
FUNCTIONS = (AGENT_RUNTIME, STREAM_INDEXER, INDEX_ADMIN)
STREAM_RETRIES = 10
"""Times that a failed batch is brought again before it becomes a dead letter."""
STREAM_BATCH = 100
"""Stream records that the indexer is handed at most at once."""
SWEEP_EVENT = {"sweep": True}
"""What the indexer is invoked with each minute, for what the stream lost."""
