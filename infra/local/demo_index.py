"""The demo's scene about the index: it falls behind, nothing is missed meanwhile, and it catches up."""

import time
from typing import TYPE_CHECKING

import boto3

from infra.local.demo_cast import DANIEL, Save
from infra.local.demo_stage import Stage
from infra.local.dynamodb import REGION
from memoir.schema import MEMORY_TABLE, OUTBOX_PREFIX, SK

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from infra.local.stream_pump import StreamPump

PATIENCE = 30.0
"""Seconds that the stream may take to catch up."""


class Indexing:
    """The way from the table to the index, with a switch.

    Args:
        pump: What brings the table's stream to the indexer.
        dynamodb_endpoint: Where the table is.
    """

    def __init__(self, pump: "StreamPump", dynamodb_endpoint: str) -> None:
        self._pump = pump
        session = boto3.Session("local", "local", region_name=REGION)
        self._dynamodb: DynamoDBClient = session.client("dynamodb", endpoint_url=dynamodb_endpoint)

    def stop(self) -> None:
        """Bring nothing more to the index."""
        self._pump.switches.stopped = True

    def start(self) -> None:
        """Go on where it stopped."""
        self._pump.switches.stopped = False

    def waiting(self) -> int:
        """Commits that are not indexed yet: each leaves an item that the indexer takes away."""
        pages = self._dynamodb.get_paginator("scan").paginate(
            TableName=MEMORY_TABLE.name,
            Select="COUNT",
            FilterExpression="begins_with(#sk, :outbox)",
            ExpressionAttributeNames={"#sk": SK},
            ExpressionAttributeValues={":outbox": {"S": OUTBOX_PREFIX}},
        )
        return sum(page["Count"] for page in pages)

    def settled(self) -> bool:
        """Wait until nothing waits; whether that came true in time."""
        end = time.monotonic() + PATIENCE
        while self.waiting():
            if time.monotonic() > end:
                return False
            time.sleep(0.1)
        return True


def behind(stage: Stage, indexing: Indexing) -> None:
    """The indexer stops, turns go on, and it catches up."""
    screen = stage.screen
    screen.scene(
        "Friday · the index falls behind", "the indexer is switched off: what is said now must be found all the same."
    )
    current = indexing.settled()
    screen.line("index", f"commits that wait for it: {indexing.waiting()}; now it is switched off", "dim")
    indexing.stop()
    try:
        with stage.turn(DANIEL, "My new mobile number ends in 3312.") as turn:
            stage.recall(turn, DANIEL)
            stage.save(turn, DANIEL, Save("daniel_mobile", "Daniel's mobile number ends in 3312"))
            stage.reply(turn, "Saved, Daniel.")
        with stage.turn(DANIEL, "Which number do you have for me?") as later:
            recalled = stage.recall(later, DANIEL, ["daniel_mobile"])
            stage.reply(later, "The mobile number that ends in 3312.")
        waiting = indexing.waiting()
    finally:
        indexing.start()
    screen.line("index", f"commits that wait for it: {waiting}; now it is switched on again", "dim")
    found = stage.facts["daniel_mobile"].memory_id in [record.memory_id for record in recalled.records]
    screen.promise(
        "With the indexer stopped, the next call still finds what was committed",
        None if found and waiting else f"found: {found}, commits that wait: {waiting}",
    )
    caught_up = indexing.settled()
    with stage.turn(DANIEL, "Good. And my mobile, once more?") as last:
        again = stage.recall(last, DANIEL, ["daniel_mobile"])
        stage.reply(last, "It ends in 3312.")
    still = stage.facts["daniel_mobile"].memory_id in [record.memory_id for record in again.records]
    screen.promise(
        "The stream catches up by itself, and then the index finds it",
        None if current and caught_up and still and again.degraded is None else f"{indexing.waiting()} commits wait",
    )
