"""The memory table's stream to the indexer, as Lambda's event source mapping brings it (SPEC §14).

Batches, the filter, retries from the failed record on, bisection of a batch whose function fails, dead letters,
and the sweep each minute. Switches stop, delay, duplicate and reorder it for tests.
"""

import json
import random
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3

from infra.local.pool import FunctionPool
from memoir.schema import MEMORY_TABLE, OUTBOX_PREFIX, STREAM_BATCH, STREAM_RETRIES, SWEEP_EVENT

POLL_SECONDS = 0.1
SWEEP_SECONDS = 60.0
LONGEST_PAUSE = 2.0

Record = dict[str, Any]


@dataclass
class Switches:
    """What tests may do to the stream.

    Attributes:
        stopped: Nothing is read; what is written meanwhile comes afterwards.
        losing: What is read is thrown away.
        delay: Seconds before a batch is brought.
        duplicate: Every batch is brought twice.
        reorder: Records of a batch are shuffled.
    """

    stopped: bool = False
    losing: bool = False
    delay: float = 0.0
    duplicate: bool = False
    reorder: bool = False


class StreamPump:
    """Reads the stream in a thread of its own and invokes the indexer.

    Args:
        session: boto3's session for the local system.
        endpoint: Where DynamoDB and its streams listen.
        pool: The indexer.
        dead_letters: File that gets the keys of what could not be indexed; keys only.
    """

    def __init__(self, session: boto3.Session, endpoint: str, pool: FunctionPool, dead_letters: Path) -> None:
        self._streams: Any = session.client("dynamodbstreams", endpoint_url=endpoint)
        self._pool = pool
        self._dead_letters = dead_letters
        self._ended = threading.Event()
        self.switches = Switches()
        self.sweep_seconds = SWEEP_SECONDS
        self.longest_pause = LONGEST_PAUSE
        self._thread = threading.Thread(target=self._run, name="stream-pump", daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """Stop reading."""
        self._ended.set()
        self._thread.join(10)

    def sweep(self) -> None:
        """Invoke the indexer's sweep now."""
        self._pool.invoke(json.dumps(SWEEP_EVENT))

    def _run(self) -> None:
        iterator = self._first()
        swept = time.monotonic()
        while not self._ended.wait(POLL_SECONDS):
            if self.switches.stopped:
                continue
            answer = self._streams.get_records(ShardIterator=iterator, Limit=STREAM_BATCH)
            iterator = answer["NextShardIterator"]
            batch = [record for record in answer["Records"] if passes_filter(record)]
            if batch and not self.switches.losing:
                self._bring(batch)
            if time.monotonic() - swept > self.sweep_seconds:
                self.sweep()
                swept = time.monotonic()

    def _first(self) -> str:
        found = self._streams.list_streams(TableName=MEMORY_TABLE.name)["Streams"][0]["StreamArn"]
        shard = self._streams.describe_stream(StreamArn=found)["StreamDescription"]["Shards"][0]["ShardId"]
        answer = self._streams.get_shard_iterator(StreamArn=found, ShardId=shard, ShardIteratorType="TRIM_HORIZON")
        return str(answer["ShardIterator"])

    def _bring(self, batch: list[Record]) -> None:
        if self.switches.delay:
            self._ended.wait(self.switches.delay)
        if self.switches.reorder:
            random.shuffle(batch)
        self.deliver(batch)
        if self.switches.duplicate:
            self.deliver(batch)

    def deliver(self, batch: Sequence[Record]) -> None:
        """Invoke the indexer with a batch until it is through, or given up."""
        for tried in range(STREAM_RETRIES):
            outcome = self._pool.invoke(json.dumps({"Records": batch}, default=str))
            if outcome.failed and len(batch) > 1:
                half = len(batch) // 2
                self.deliver(batch[:half])
                self.deliver(batch[half:])
                return
            failed = set() if outcome.failed else _failures(json.loads(outcome.payload))
            if not outcome.failed:
                batch = _from_first_failure(batch, failed)
            if not batch or self._ended.wait(min(self.longest_pause, 0.1 * 2**tried)):
                return
        with self._dead_letters.open("a") as file:
            file.writelines(json.dumps(record["dynamodb"]["Keys"]) + "\n" for record in batch)


def passes_filter(record: Record) -> bool:
    """The event source mapping's filter: new outbox items only."""
    return bool(record["eventName"] == "INSERT" and record["dynamodb"]["Keys"]["sk"]["S"].startswith(OUTBOX_PREFIX))


def _failures(answer: dict[str, Any]) -> set[str]:
    return {str(one["itemIdentifier"]) for one in answer.get("batchItemFailures", [])}


def _from_first_failure(batch: Sequence[Record], failed: set[str]) -> Sequence[Record]:
    """Lambda brings a stream's records again from the first failed one on."""
    for place, record in enumerate(batch):
        if str(record["dynamodb"]["SequenceNumber"]) in failed:
            return batch[place:]
    return []
