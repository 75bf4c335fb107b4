"""The index's documents beside the tables' records."""

import json
import time
from collections.abc import Callable
from typing import Any
from urllib.request import Request, urlopen

import boto3

from memoir.adapters.dynamodb import keys
from memoir.adapters.dynamodb.records_codec import record_from
from memoir.adapters.dynamodb.values import plain
from memoir.adapters.embedders import make_embedder
from memoir.adapters.opensearch.mapping import document, document_id, document_version, index_name
from memoir.adapters.threads import Threads
from memoir.schema import MEMORY_TABLE, OUTBOX_PREFIX
from tests.integration.conftest import Indexed

SECONDS = 30
_NOT_RETURNED = {"vector", "tokens", "before"}
PROFILE = make_embedder("minilm", Threads()).profile


def items(running: Indexed) -> list[dict[str, Any]]:
    """Every item of the memory table."""
    client = boto3.Session("any", "any", region_name="us-east-1").client(
        "dynamodb", endpoint_url=running.system.dynamodb_endpoint
    )
    pages = client.get_paginator("scan").paginate(TableName=MEMORY_TABLE.name, ConsistentRead=True)
    return [plain(item) for page in pages for item in page["Items"]]


def expected(running: Indexed, action_id: str) -> dict[str, tuple[int, dict[str, Any]]]:
    """What the index must hold of an agent: version and document by id."""
    start = keys.record(action_id, "")
    found = {}
    for item in items(running):
        if item["pk"].startswith(start):
            record = record_from(item["pk"].removeprefix(start), item)
            body = {name: one for name, one in document(record, PROFILE).items() if name not in _NOT_RETURNED}
            found[document_id(record)] = (document_version(record, PROFILE), body)
    return found


def indexed_documents(running: Indexed, action_id: str) -> dict[str, tuple[int, dict[str, Any]]]:
    """What the index holds of an agent."""
    url = running.system.opensearch_endpoint
    name = index_name(PROFILE)
    _ask(f"{url}/{name}/_refresh", {}, "POST")
    body = {"query": {"term": {"agent": action_id}}, "size": 10_000, "version": True}
    hits = _ask(f"{url}/{name}/_search", body, "POST")["hits"]["hits"]
    return {hit["_id"]: (hit["_version"], hit["_source"]) for hit in hits}


def waiting(running: Indexed, action_id: str) -> int:
    """Commits of an agent that the index may not know yet."""
    return sum(one["sk"].startswith(OUTBOX_PREFIX) and action_id in one["pk"] for one in items(running))


def wait_until(holds: Callable[[], bool], told: str) -> None:
    """Wait for something that comes soon."""
    ends = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < ends, told
        time.sleep(0.05)


def caught_up(running: Indexed, action_id: str) -> None:
    """Wait until no commit of the agent waits."""
    wait_until(lambda: waiting(running, action_id) == 0, "the index did not catch up")


def assert_equal(running: Indexed, action_id: str) -> None:
    """The index holds what the tables say, document by document."""
    assert indexed_documents(running, action_id) == expected(running, action_id)


def _ask(url: str, body: dict[str, Any], method: str) -> dict[str, Any]:
    request = Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"}, method=method)
    with urlopen(request, timeout=10) as answer:
        found: dict[str, Any] = json.loads(answer.read())
        return found
