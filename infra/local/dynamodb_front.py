"""The way into moto's DynamoDB: memoir's own operations go straight to their handler, all others through moto's server.

moto's server takes some 3 ms a request to find out which of its two hundred services is meant and to translate
attribute values to and fro. A test run makes a hundred thousand requests.
"""

import base64
import json
from collections.abc import Callable, Iterable
from typing import Any
from wsgiref.types import StartResponse, WSGIEnvironment

from moto.core.exceptions import ServiceException
from moto.core.responses import ActionResult
from moto.dynamodb.responses import DynamoHandler

from infra.local.moto_fixes import LOCK

_TARGET = "DynamoDB_20120810."
_DIRECT: dict[str, Callable[[DynamoHandler], ActionResult]] = {
    "GetItem": DynamoHandler.get_item,
    "PutItem": DynamoHandler.put_item,
    "UpdateItem": DynamoHandler.update_item,
    "DeleteItem": DynamoHandler.delete_item,
    "Query": DynamoHandler.query,
    "BatchGetItem": DynamoHandler.batch_get_item,
    "BatchWriteItem": DynamoHandler.batch_write_item,
    "TransactWriteItems": DynamoHandler.transact_write_items,
}
_HEADERS = {"Content-Type": "application/x-amz-json-1.0"}


class Front:
    """A WSGI application before moto's.

    Args:
        moto: moto's application.
        account: Account of the tables.
        region: Region of the tables.
    """

    def __init__(self, moto: Any, account: str, region: str) -> None:
        self._moto = moto
        self._account = account
        self._region = region

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        name = environ.get("HTTP_X_AMZ_TARGET", "").removeprefix(_TARGET)
        if name not in _DIRECT:
            answer: Iterable[bytes] = self._moto(environ, start_response)
            return answer
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        status, data = self._direct(name, json.loads(body, object_hook=_binary))
        start_response(
            f"{status} {'OK' if status < 400 else 'Error'}", [*_HEADERS.items(), ("Content-Length", str(len(data)))]
        )
        return [data]

    def _direct(self, name: str, body: dict[str, Any]) -> tuple[int, bytes]:
        handler = DynamoHandler()
        handler.current_account, handler.region, handler.body = self._account, self._region, body
        handler.headers, handler.response_headers = {**_HEADERS, "x-amz-target": _TARGET + name}, {}
        handler.querystring = {}
        with LOCK:
            try:
                result = _DIRECT[name](handler)
                return 200, json.dumps(result.result, default=_base64).encode()
            except ServiceException as error:
                status, _, text = handler.serialized(ActionResult(error))
                return status, text.encode()


def _binary(value: dict[str, Any]) -> dict[str, Any]:
    content = value.get("B")
    return {"B": base64.b64decode(content)} if isinstance(content, str) else value


def _base64(value: Any) -> str:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    raise TypeError(type(value).__name__)
