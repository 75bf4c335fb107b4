"""A stand-in before OpenSearch that shows its troubles."""

import http.client
import json
import threading
import time
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

HANGS = 8.0
"""Seconds: longer than memoir waits."""


class Fault(StrEnum):
    """What is wrong."""

    REFUSING = "refuses connections"
    HANGING = "does not answer"
    BUSY = "answers 503"
    RED = "has no shard to ask"
    LATE = "gave up in the middle"
    GARBAGE = "answers something that is no JSON"
    STRANGER = "answers JSON of another shape"
    EMPTY = "answers an empty object"
    NO_INDEX = "has lost the index"


_SHARDS_FAILED = {"took": 1, "timed_out": False, "_shards": {"total": 1, "failed": 1}, "hits": {"hits": []}}
_TIMED_OUT = {"took": 1, "timed_out": True, "_shards": {"total": 1, "failed": 0}, "hits": {"hits": []}}
_LOST = {"error": {"type": "index_not_found_exception"}, "status": 404}
ANSWERS: dict[Fault, tuple[int, bytes]] = {
    Fault.BUSY: (503, b'{"error": "too busy"}'),
    Fault.RED: (200, json.dumps({"responses": [_SHARDS_FAILED] * 3}).encode()),
    Fault.LATE: (200, json.dumps({"responses": [_TIMED_OUT] * 3}).encode()),
    Fault.GARBAGE: (200, b"<html>not me</html>"),
    Fault.STRANGER: (200, b'{"responses": [{"hits": 7}, {"hits": null}, {}]}'),
    Fault.EMPTY: (200, b"{}"),
    Fault.NO_INDEX: (200, json.dumps({"responses": [_LOST] * 3}).encode()),
}


class Faulty:
    """A proxy with a fault, or none."""

    def __init__(self) -> None:
        self.fault: Fault | None = None
        self._target = ""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def stand_before(self, endpoint: str) -> str:
        """Begin to pass requests on to ``endpoint``; the proxy's own address."""
        self._target = urlsplit(endpoint).netloc
        return f"http://127.0.0.1:{self._server.server_port}"

    def stop(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        faulty = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *arguments: Any) -> None:
                """Print nothing."""

            def do_POST(self) -> None:
                """Pass a request on, unless something is wrong."""
                body = self.rfile.read(int(self.headers["Content-Length"] or 0))
                match faulty.fault:
                    case None:
                        status, answer = faulty._pass_on(self.command, self.path, dict(self.headers), body)
                    case Fault.REFUSING:
                        self.close_connection = True
                        return
                    case Fault.HANGING:
                        time.sleep(HANGS)
                        self.close_connection = True
                        return
                    case fault:
                        status, answer = ANSWERS[fault]
                self.send_response_only(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            do_GET = do_PUT = do_POST  # noqa: N815 - the names are http.server's

        return Handler

    def _pass_on(self, method: str, path: str, headers: dict[str, str], body: bytes) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection(self._target, timeout=60)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()
