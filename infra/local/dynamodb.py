"""DynamoDB on loopback: moto's server in a process of its own, with memoir's tables.

``python -m infra.local.dynamodb [FOLDER]``: with a folder, items are kept in ``dynamodb.jsonl`` there, written every
few seconds and at the end; without one they are gone with the process.
"""

import base64
import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

import boto3
from moto.dynamodb.models import dynamodb_backends
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app

from infra.local import moto_fixes
from infra.local.dynamodb_front import Front
from infra.local.processes import say_ready, wait_for_parent
from memoir.schema import TABLES

REGION = "us-east-1"
ACCOUNT = "123456789012"
SAVE_SECONDS = 5


def main(folder: str | None) -> None:
    """Serve until the parent is gone."""
    moto_fixes.apply()
    endpoint = Front(DomainDispatcherApplication(create_backend_app), ACCOUNT, REGION).endpoint
    session = boto3.Session("local", "local", region_name=REGION)
    client = session.client("dynamodb", endpoint_url=endpoint)
    for table in TABLES:
        client.create_table(**table.create_table_arguments())
    store = Path(folder) / "dynamodb.jsonl" if folder else None
    if store is not None:
        load(store)
        threading.Thread(target=_keep, args=(store,), daemon=True).start()
    say_ready(endpoint=endpoint)
    wait_for_parent()
    if store is not None:
        save(store)


def _keep(store: Path) -> None:
    before = -1
    while True:
        threading.Event().wait(SAVE_SECONDS)
        with moto_fixes.LOCK:
            count = sum(len(shard.items) for table in _tables() if (shard := table.stream_shard))
        if count != before:
            save(store)
            before = count


def _tables() -> list[Any]:
    return list(dynamodb_backends[ACCOUNT][REGION].tables.values())


def save(store: Path) -> None:
    """Write every item to a file, whole or not at all."""
    with moto_fixes.LOCK:
        lines = [
            json.dumps([table.name, item.to_json()["Attributes"]], default=_binary)
            for table in _tables()
            for item in table.all_items()
        ]
    part = store.with_suffix(".part")
    part.write_text("".join(f"{line}\n" for line in lines))
    part.replace(store)


def load(store: Path) -> None:
    """Read what ``save`` wrote, if anything."""
    if not store.exists():
        return
    backend = dynamodb_backends[ACCOUNT][REGION]
    with store.open() as lines:
        for line in lines:
            name, attributes = json.loads(line)
            backend.put_item(name, attributes)


def _binary(value: Any) -> str:
    return base64.b64encode(value).decode() if isinstance(value, bytes) else str(value)


if __name__ == "__main__":
    os.environ.setdefault("AWS_DEFAULT_REGION", REGION)
    main(sys.argv[1] if len(sys.argv) > 1 else None)
