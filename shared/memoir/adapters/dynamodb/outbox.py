"""The outbox in DynamoDB: what commits changed and the index may not know (DESIGN "Index and ranking")."""

import json
from collections.abc import Sequence
from functools import partial
from typing import Any

from memoir.adapters.dynamodb.commit import shards
from memoir.adapters.dynamodb.requests import Requests, translated
from memoir.ports import Outbox, OutboxKey
from memoir.schema import GSI_SWEEP, PK, SK


class DynamoOutboxStore:
    """``OutboxStore`` over the memory table."""

    def __init__(self, memory: Requests) -> None:
        self._memory = memory

    def read(self, keys: Sequence[OutboxKey]) -> list[Outbox]:
        """Those that are still there."""
        found = self._memory.get_all([(key.pk, key.sk) for key in dict.fromkeys(keys)])
        return [_outbox(one) for one in sorted(found, key=lambda one: str(one[SK]))]

    def done(self, key: OutboxKey) -> None:
        """The index knows this commit."""
        self._memory.delete(key.pk, key.sk)

    def overdue(self, before: str, limit: int) -> list[OutboxKey]:
        """Items of commits before a time."""
        pages = self._memory.gather.each([partial(self._shard, shard, before, limit) for shard in shards()])
        return [key for page in pages for key in page][:limit]

    def _shard(self, shard: str, before: str, limit: int) -> list[OutboxKey]:
        arguments: dict[str, Any] = {
            "TableName": self._memory.table,
            "IndexName": GSI_SWEEP,
            "KeyConditionExpression": f"{GSI_SWEEP}pk = :shard AND {GSI_SWEEP}sk < :before",
            "ExpressionAttributeValues": {":shard": {"S": shard}, ":before": {"S": before}},
            "Limit": limit,
        }
        with translated():
            answer = self._memory.client.query(**arguments)
        return [OutboxKey(one[PK]["S"], one[SK]["S"]) for one in answer["Items"]]


def _outbox(found: dict[str, Any]) -> Outbox:
    rows = [*json.loads(found["agent_records"]), *json.loads(found["session_records"])]
    return Outbox(OutboxKey(found[PK], found[SK]), found["agent"], tuple(memory_id for memory_id, _ in rows))
