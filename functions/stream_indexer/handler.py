"""The memory table's stream into the index, and the sweep for what the stream lost (SPEC §4).

The stream's filter lets only new outbox items through; it is checked here again, since a removal must change nothing.
"""

from typing import Any

from memoir.domain.errors import MemoirError
from memoir.observability import logger
from memoir.ports import OutboxKey
from memoir.schema import OUTBOX_PREFIX, SWEEP_EVENT
from memoir.services.index_commits import index_commits, sweep
from memoir.wiring import indexing


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:  # noqa: ARG001 - Lambda's signature
    """Index a batch of the stream, or sweep.

    Returns:
        ``batchItemFailures`` with the sequence numbers to bring again; of a sweep, how many commits are done.
    """
    if event == SWEEP_EVENT:
        return {"done": sweep(indexing())}
    found = {_sequence(record): _key(record) for record in event["Records"] if _is_new_outbox(record)}
    try:
        done = index_commits(indexing(), list(found.values()))
    except MemoirError as error:
        logger.warning("indexing failed", extra={"code": error.code.value, "commits": len(found)})
        return {"batchItemFailures": [{"itemIdentifier": sequence} for sequence in found]}
    logger.info("indexed", extra={"commits": len(found), "done": done})
    return {"batchItemFailures": []}


def _is_new_outbox(record: dict[str, Any]) -> bool:
    sort_key = str(record["dynamodb"]["Keys"]["sk"]["S"])
    return record["eventName"] == "INSERT" and sort_key.startswith(OUTBOX_PREFIX)


def _sequence(record: dict[str, Any]) -> str:
    return str(record["dynamodb"]["SequenceNumber"])


def _key(record: dict[str, Any]) -> OutboxKey:
    keys = record["dynamodb"]["Keys"]
    return OutboxKey(keys["pk"]["S"], keys["sk"]["S"])
