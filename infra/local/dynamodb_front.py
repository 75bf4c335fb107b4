"""The way into moto's DynamoDB: memoir's own operations go straight to their handler, all others through moto's server.

moto's server takes some 3 ms a request to find out which of its two hundred services is meant and to translate
attribute values to and fro. A test run makes a hundred thousand requests.
"""

import base64
import json
import threading
from collections.abc import Callable
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from moto.core.responses import ActionResult
from moto.dynamodb.responses import DynamoHandler
from werkzeug.exceptions import HTTPException
from werkzeug.test import EnvironBuilder, run_wsgi_app

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
CONTENT_TYPE = "application/x-amz-json-1.0"


class Front:
    """The server of DynamoDB and its streams; connections stay open, which moto's server does not allow.

    Args:
        moto: moto's WSGI application.
        account: Account of the tables.
        region: Region of the tables.
    """

    def __init__(self, moto: Any, account: str, region: str) -> None:
        self._moto = moto
        self._account = account
        self._region = region
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.endpoint = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, name="dynamodb", daemon=True).start()

    def answer(self, path: str, headers: Message, body: bytes) -> tuple[int, bytes]:
        """Status and body of the answer to one request."""
        name = headers.get("X-Amz-Target", "").removeprefix(_TARGET)
        if name in _DIRECT:
            return self._direct(name, json.loads(body, object_hook=_binary))
        environ = EnvironBuilder(path, self.endpoint, method="POST", headers=headers.items(), data=body).get_environ()
        chunks, status, _ = run_wsgi_app(self._moto, environ)
        return int(status.partition(" ")[0]), b"".join(chunks)

    def _direct(self, name: str, body: dict[str, Any]) -> tuple[int, bytes]:
        handler = DynamoHandler()
        handler.current_account, handler.region, handler.body = self._account, self._region, body
        with LOCK:
            try:
                result = _DIRECT[name](handler)
                return 200, json.dumps(result.result, default=_base64).encode()
            except HTTPException as error:
                return error.code or 500, str(error.description).encode()


def _handler(front: Front) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # one packet an answer: two would wait for each other
        disable_nagle_algorithm = True

        def log_message(self, *arguments: Any) -> None:
            """Print nothing."""

        def do_POST(self) -> None:
            """Answer one request."""
            body = self.rfile.read(int(self.headers["Content-Length"]))
            status, answer = front.answer(self.path, self.headers, body)
            self.send_response_only(status)
            self.send_header("Content-Type", CONTENT_TYPE)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

    return Handler


def _binary(value: dict[str, Any]) -> dict[str, Any]:
    content = value.get("B")
    return {"B": base64.b64decode(content)} if isinstance(content, str) else value


def _base64(value: Any) -> str:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    raise TypeError(type(value).__name__)
