"""Requests to DynamoDB, with its errors told apart: raced, unavailable, or unexpected (DESIGN "Commit" step 5)."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from memoir.adapters.dynamodb.values import Item, Plain, plain, value
from memoir.domain.errors import Unavailable
from memoir.ports import Gather, Raced
from memoir.schema import PK, SK

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

    Action = TransactWriteItemTypeDef
else:
    Action = dict

Key = tuple[str, str]
BATCH_READ = 100
BATCH_WRITE = 25
_BUSY = frozenset(
    {
        "TransactionConflictException",
        "TransactionInProgressException",
        "ThrottlingException",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
    }
)
_AWAY = frozenset({"InternalServerError", "ServiceUnavailable", "500", "503"})


@contextmanager
def translated() -> Iterator[None]:
    """Turn DynamoDB's errors into memoir's; unknown ones pass."""
    try:
        yield
    except ClientError as exc:
        code = exc.response["Error"]["Code"]
        if code in _BUSY or (code == "TransactionCanceledException" and not _invalid(exc)):
            raise Raced from exc
        if code == "ConditionalCheckFailedException":
            raise Raced from exc
        if code in _AWAY:
            raise Unavailable("DynamoDB does not answer: call again with the same ids") from exc
        raise
    except BotoCoreError as exc:
        raise Unavailable("DynamoDB cannot be reached: call again with the same ids") from exc


def _invalid(error: ClientError) -> bool:
    reasons: Any = error.response.get("CancellationReasons", [])
    return any(reason.get("Code") == "ValidationError" for reason in reasons)


class Requests:
    """One table's requests."""

    def __init__(self, client: "DynamoDBClient", table: str, gather: Gather) -> None:
        self.client = client
        self.table = table
        self.gather = gather

    def get(self, pk: str, sk: str) -> dict[str, Any] | None:
        """One item, strongly consistent."""
        with translated():
            answer = self.client.get_item(TableName=self.table, Key={PK: {"S": pk}, SK: {"S": sk}}, ConsistentRead=True)
        return plain(answer["Item"]) if "Item" in answer else None

    def get_all(self, wanted: Sequence[Key]) -> list[dict[str, Any]]:
        """Those of the items that exist, in any order, strongly consistent; batches run side by side."""
        batches = [wanted[start : start + BATCH_READ] for start in range(0, len(wanted), BATCH_READ)]
        found = self.gather.each([partial(self._batch, batch) for batch in batches])
        return [one for items in found for one in items]

    def _batch(self, wanted: Sequence[Key]) -> list[dict[str, Any]]:
        request: Any = {
            self.table: {"Keys": [{PK: {"S": pk}, SK: {"S": sk}} for pk, sk in wanted], "ConsistentRead": True}
        }
        found: list[dict[str, Any]] = []
        for tried in range(10):
            with translated():
                answer = self.client.batch_get_item(RequestItems=request)
            found += [plain(one) for one in answer["Responses"].get(self.table, [])]
            request = answer.get("UnprocessedKeys")
            if not request:
                return found
            time.sleep(min(0.02 * 2**tried, 0.5))
        raise Unavailable("DynamoDB is throttling reads: call again with the same ids")

    def query(self, pk: str, prefix: str, **options: Any) -> Iterator[dict[str, Any]]:
        """Items of a partition whose sort key begins with ``prefix``; every page, unless ``Limit`` is given."""
        arguments: dict[str, Any] = {
            "TableName": self.table,
            "KeyConditionExpression": "pk = :pk AND begins_with(sk, :prefix)",
            "ExpressionAttributeValues": {":pk": {"S": pk}, ":prefix": {"S": prefix}} | options.pop("Values", {}),
            "ConsistentRead": True,
            **options,
        }
        while True:
            with translated():
                answer = self.client.query(**arguments)
            yield from map(plain, answer["Items"])
            if "LastEvaluatedKey" not in answer or "Limit" in options:
                return
            arguments["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    def put(self, stored: Item, condition: str | None = None, **values: Any) -> Action:
        """A put as a transaction's action; ``values`` are those of the condition."""
        action: Any = {"TableName": self.table, "Item": stored}
        return {"Put": _conditioned(action, condition, values)}

    def put_new(self, stored: Item) -> Action:
        """A put of an item that must not be there."""
        return self.put(stored, "attribute_not_exists(pk)")

    def update(self, pk: str, sk: str, change: str, condition: str, **values: Any) -> Action:
        """An update as a transaction's action; ``#status`` and ``#open`` may stand for those names."""
        action: Any = {"TableName": self.table, "Key": {PK: {"S": pk}, SK: {"S": sk}}, "UpdateExpression": change}
        return {"Update": _conditioned(action, condition, values)}

    def check(self, pk: str, sk: str, condition: str, **values: Any) -> Action:
        """A condition on an item as a transaction's action, which leaves it as it is."""
        action: Any = {"TableName": self.table, "Key": {PK: {"S": pk}, SK: {"S": sk}}}
        return {"ConditionCheck": _conditioned(action, condition, values)}

    def change(self, pk: str, sk: str, change: str, **values: Plain) -> None:
        """An update of an item that is there, on its own."""
        action: Any = self.update(pk, sk, change, "attribute_exists(pk)", **values)["Update"]
        with translated():
            self.client.update_item(**action)

    def delete(self, pk: str, sk: str) -> None:
        """Delete an item if it is there."""
        with translated():
            self.client.delete_item(TableName=self.table, Key={PK: {"S": pk}, SK: {"S": sk}})

    def transact(self, actions: Sequence[Action]) -> None:
        """Write all of them or none.

        Raises:
            Raced: A condition failed, or the items were busy.
        """
        with translated():
            self.client.transact_write_items(TransactItems=actions)

    def write_all(self, items: Sequence[Item]) -> None:
        """Put items without conditions, batches side by side."""
        batches = [items[start : start + BATCH_WRITE] for start in range(0, len(items), BATCH_WRITE)]
        self.gather.each([partial(self._write, batch) for batch in batches])

    def _write(self, items: Sequence[Item]) -> None:
        request: Any = {self.table: [{"PutRequest": {"Item": one}} for one in items]}
        for tried in range(10):
            with translated():
                answer = self.client.batch_write_item(RequestItems=request)
            request = answer.get("UnprocessedItems")
            if not request:
                return
            time.sleep(min(0.02 * 2**tried, 0.5))
        raise Unavailable("DynamoDB is throttling writes: call again with the same ids")


_NAMES = {"#status": "status", "#open": "open", "#next": "next", "#vector": "vector"}


def _conditioned(action: dict[str, Any], condition: str | None, values: dict[str, Any]) -> Any:
    text = f"{action.get('UpdateExpression', '')} {condition or ''}"
    names = {placeholder: name for placeholder, name in _NAMES.items() if placeholder in text}
    if condition:
        action["ConditionExpression"] = condition
    if values:
        action["ExpressionAttributeValues"] = {f":{name}": value(one) for name, one in values.items()}
    if names:
        action["ExpressionAttributeNames"] = names
    return action
