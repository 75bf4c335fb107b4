"""What moto's DynamoDB needs to stand in for the real one under concurrent transactions (DESIGN "moto").

moto copies whole tables before each transaction and puts them back when it is cancelled, which is slow and undoes what
other threads wrote meanwhile. Here every condition is checked before anything is written, only touched items are kept
for the case that a write is malformed, and one lock keeps requests apart. A query looks at its own partition instead of
sorting the whole table, does not copy what it only reads, and writes attribute values without moto's search for aliases
of their names, which took 20 ms an item.
"""

import base64
import copy
import threading
from types import SimpleNamespace
from typing import Any

from moto.core.serialize import BaseJSONSerializer
from moto.dynamodb.comparisons import get_filter_expression
from moto.dynamodb.exceptions import (
    ConditionalCheckFailed,
    MockValidationException,
    MultipleTransactionsException,
    TooManyTransactionsException,
    TransactionCanceledException,
)
from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models import table as table_module
from moto.dynamodb.models.table import Table
from moto.dynamodb.responses import DynamoHandler
from moto.dynamodbstreams.responses import DynamoDBStreamsHandler

MAX_ACTIONS = 100
MAX_BYTES = 4_000_000
INDEX_NAME = 6
"""Place of the index's name among the arguments of moto's ``Table.query``, after the hash key."""
LOCK = threading.RLock()

Action = dict[str, Any]
Reason = tuple[Any, Any, Any]


def apply() -> None:
    """Put the fixes in place; called once by the process that serves DynamoDB."""
    DynamoDBBackend.transact_write_items = _transact  # type: ignore[method-assign]
    Table.query = _narrowed(Table.query)  # type: ignore[method-assign]
    structure = BaseJSONSerializer._serialize_type_structure  # noqa: SLF001 - there is no public place for it
    BaseJSONSerializer._serialize_type_structure = _plain_attributes(structure)  # type: ignore[method-assign]  # noqa: SLF001
    vars(table_module)["copy"] = SimpleNamespace(copy=copy.copy, deepcopy=_same)
    for handler in (DynamoHandler, DynamoDBStreamsHandler):
        handler.call_action = _locked(handler.call_action)  # type: ignore[method-assign]


def _locked(original: Any) -> Any:
    def call_action(self: Any) -> Any:
        with LOCK:
            return original(self)

    return call_action


def _transact(self: DynamoDBBackend, transact_items: list[Action]) -> None:
    if len(transact_items) > MAX_ACTIONS:
        raise TooManyTransactionsException
    if sum(len(str(one)) for one in transact_items) > 2 * MAX_BYTES and _bytes(transact_items) > MAX_BYTES:
        raise MockValidationException("Transaction exceeds the maximum size of 4 MB")
    keys = [_key(self, one) for one in transact_items]
    if len({str(one) for one in keys}) < len(keys):
        raise MultipleTransactionsException
    reasons = [_reason(self, one, key) for one, key in zip(transact_items, keys, strict=True)]
    if any(code is not None for code, _, _ in reasons):
        raise TransactionCanceledException(reasons)
    before = [copy.deepcopy(self.get_item(table, key)) for table, key in keys]
    try:
        for one, (table, key) in zip(transact_items, keys, strict=True):
            _apply(self, one, table, key)
    except Exception:
        for (table, key), item in zip(keys, before, strict=True):
            _restore(self, table, key, item)
        raise


def _plain_attributes(original: Any) -> Any:
    def serialize(self: Any, serialized: Any, value: Any, shape: Any, key: str) -> None:
        if shape.name == "AttributeValue" and isinstance(value, dict):
            serialized[key] = _attribute(value)
        else:
            original(self, serialized, value, shape, key)

    return serialize


def _attribute(value: dict[str, Any]) -> dict[str, Any]:
    kind, content = next(iter(value.items()))
    if kind == "B":
        content = base64.b64encode(content).decode() if isinstance(content, bytes) else content
    elif kind == "M":
        content = {name: _attribute(one) for name, one in content.items()}
    elif kind == "L":
        content = [_attribute(one) for one in content]
    return {kind: content}


def _same(value: Any) -> Any:
    return value


def _narrowed(original: Any) -> Any:
    def query(self: Any, hash_key: Any, *arguments: Any, **options: Any) -> Any:
        index = arguments[INDEX_NAME] if len(arguments) > INDEX_NAME else options.get("index_name")
        if index is None:
            items = list(self.items.get(hash_key, {}).values())
        else:
            name, expected = options["hash_key_conditions"][0]
            every = (one for part in self.items.values() for one in part.values())
            items = [one for one in every if (value := one.attrs.get(name)) and value.value == expected.value]
        # NOTE: requests run one at a time, so the table may answer this for the length of the call.
        self.all_items = lambda: items
        try:
            return original(self, hash_key, *arguments, **options)
        finally:
            del self.all_items

    return query


def _bytes(value: Any) -> int:
    """About the size that DynamoDB counts: names and values, binary as bytes."""
    if isinstance(value, dict):
        return sum(len(str(name)) + _bytes(one) for name, one in value.items())
    if isinstance(value, list | tuple):
        return sum(map(_bytes, value))
    return len(value) if isinstance(value, str | bytes) else 8


def _key(self: DynamoDBBackend, action: Action) -> tuple[str, dict[str, Any]]:
    kind, op = next(iter(action.items()))
    table = self.get_table(op["TableName"])
    if kind != "Put":
        return op["TableName"], op["Key"]
    names = [table.hash_key_attr, *([table.range_key_attr] if table.range_key_attr else [])]
    return op["TableName"], {name: op["Item"][name] for name in names}


def _reason(self: DynamoDBBackend, action: Action, at: tuple[str, dict[str, Any]]) -> Reason:
    op = next(iter(action.values()))
    condition = op.get("ConditionExpression")
    if condition is None:
        return None, None, None
    current = self.get_item(*at)
    holds = get_filter_expression(
        condition, op.get("ExpressionAttributeNames"), op.get("ExpressionAttributeValues")
    ).expr(current)
    if holds:
        return None, None, None
    old = op.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD" and current
    item = current.to_json()["Attributes"] if old and current else None
    return "ConditionalCheckFailed", str(ConditionalCheckFailed().message), item


def _apply(self: DynamoDBBackend, action: Action, table: str, key: dict[str, Any]) -> None:
    kind, op = next(iter(action.items()))
    names, values = op.get("ExpressionAttributeNames"), op.get("ExpressionAttributeValues")
    if kind == "Put":
        self.put_item(table, op["Item"])
    elif kind == "Delete":
        self.delete_item(table, key)
    elif kind == "Update":
        # NOTE: with its condition, since moto refuses names and values that no expression uses.
        self.update_item(
            table,
            key,
            update_expression=op["UpdateExpression"],
            condition_expression=op.get("ConditionExpression"),
            expression_attribute_names=names,
            expression_attribute_values=values,
        )


def _restore(self: DynamoDBBackend, table: str, key: dict[str, Any], item: Any) -> None:
    if item is None:
        self.delete_item(table, key)
    else:
        self.put_item(table, item.to_json()["Attributes"])
