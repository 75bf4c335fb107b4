"""Committed records in DynamoDB (SPEC §3)."""

import json
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from memoir.adapters.dynamodb import keys
from memoir.adapters.dynamodb.records_codec import record_from
from memoir.adapters.dynamodb.requests import Requests, translated
from memoir.domain.pins import PinList, Pins
from memoir.domain.record import Record, RecordVector
from memoir.domain.vectors import pack
from memoir.ports import Overlay, Row
from memoir.schema import GSI_LIST, OUTBOX_PREFIX

OVERLAY_COMMITS = 70
"""Newest un-indexed commits that a search reads of each partition: about 2,000 records."""


class DynamoRecordStore:
    """``RecordStore`` over the memory table."""

    def __init__(self, memory: Requests) -> None:
        self._memory = memory

    def get(self, action_id: str, memory_ids: Sequence[str]) -> dict[str, Record]:
        """Those of the records that exist, by id."""
        wanted = [(keys.record(action_id, one), keys.RECORD) for one in dict.fromkeys(memory_ids)]
        start = len(keys.record(action_id, ""))
        found = {one["pk"][start:]: one for one in self._memory.get_all(wanted)}
        return {memory_id: record_from(memory_id, fields) for memory_id, fields in found.items()}

    def holders(self, duplicate_keys: Sequence[str]) -> dict[str, str]:
        """The record that holds each duplicate key."""
        wanted = [(keys.lock(one), keys.LOCK) for one in dict.fromkeys(duplicate_keys)]
        start = len(keys.lock(""))
        return {one["pk"][start:]: one["holder_id"] for one in self._memory.get_all(wanted)}

    def newest(
        self, action_id: str, session_id: str | None, before: Row | None, limit: int, *, preview: bool = False
    ) -> list[Row]:
        """Rows of one list, newest first."""
        values: dict[str, Any] = {":list": {"S": keys.agent_list(action_id, session_id, preview=preview)}}
        condition = f"{GSI_LIST}pk = :list"
        if before is not None:
            condition += f" AND {GSI_LIST}sk < :before"
            values[":before"] = {"S": keys.row(before.created, before.memory_id)}
        rows: list[Row] = []
        arguments: dict[str, Any] = {
            "TableName": self._memory.table,
            "IndexName": GSI_LIST,
            "KeyConditionExpression": condition,
            "ExpressionAttributeValues": values,
            "ScanIndexForward": False,
            "Limit": limit,
        }
        with translated():
            answer = self._memory.client.query(**arguments)
        for one in answer["Items"]:
            created, _, memory_id = one[f"{GSI_LIST}sk"]["S"].partition("#")
            rows.append(Row(created, memory_id))
        return rows

    def pins(self, action_id: str, session_id: str | None, *, preview: bool = False) -> Pins:
        """The agent's pins of one mode and the session's."""
        agent, session, sk = keys.agent(action_id), keys.session(action_id, session_id), keys.pins(preview=preview)
        found = {one["pk"]: _pin_list(one) for one in self._memory.get_all([(agent, sk), (session, sk)])}
        return Pins(found.get(agent, PinList()), found.get(session, PinList()))

    def hidden(self, action_id: str) -> dict[str, str]:
        """Live record → the preview record that names it."""
        found = self._memory.query(keys.shadows(action_id), keys.SHADOWS)
        return {one["sk"].removeprefix(keys.SHADOWS): one["preview_id"] for one in found}

    def attach_vector(self, record: Record, vector: RecordVector) -> None:
        """Give a stored record its vector; its version stays."""
        pk = keys.record(record.action_id, record.memory_id)
        change = "SET model = :model, #vector = :vector"
        self._memory.change(pk, keys.RECORD, change, model=vector.model, vector=pack(vector.values))

    def overlay(self, action_id: str, session_id: str | None, *, agent: bool, preview: bool = False) -> Overlay:
        """What commits changed that the index may not know."""
        partitions = [keys.session(action_id, session_id), *([keys.agent(action_id)] if agent else [])]
        pages = self._memory.gather.each([partial(self._outbox, partition) for partition in partitions])
        commits = sorted((one for page in pages for one in page), key=lambda one: str(one["sk"]), reverse=True)
        changed = [row for one in commits if preview or not one["preview"] for row in _seen(one, session_id)]
        return Overlay(
            memory_ids=tuple(dict.fromkeys(memory_id for memory_id, _, _ in changed)),
            added=tuple(Row(created, memory_id) for memory_id, version, created in changed if version == 1),
            behind=any(len(page) > OVERLAY_COMMITS for page in pages),
        )

    def _outbox(self, partition: str) -> list[dict[str, Any]]:
        page = self._memory.query(partition, OUTBOX_PREFIX, Limit=OVERLAY_COMMITS + 1, ScanIndexForward=False)
        return list(page)


def _pin_list(found: dict[str, Any]) -> PinList:
    return PinList(dict(json.loads(found["pins"])), found["revision"])


def _seen(commit: dict[str, Any], session_id: str | None) -> Iterator[tuple[str, int, str]]:
    """Id, version and commit time of the records that concern the session."""
    rows = json.loads(commit["agent_records"])
    if commit.get("session") == session_id:
        rows += json.loads(commit["session_records"])
    for memory_id, version in rows:
        yield memory_id, version, commit["created"]
