"""A proxy between the functions and DynamoDB or OpenSearch: it notes requests, and can kill the function at one."""

import http.client
import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import psutil

READS = frozenset({"GetItem", "BatchGetItem", "Query", "Scan", "TransactGetItems"})
WRITES = frozenset({"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"})


class Side(StrEnum):
    """Where in a write the function dies: before it is done, or before its answer arrives."""

    BEFORE = "before"
    AFTER = "after"


@dataclass(frozen=True)
class Seen:
    """One request: its operation, the round it went in, and the actions of its transaction."""

    operation: str
    round: int
    actions: int


class Rounds:
    """Keeps requests back until no other comes for a while, then lets them pass together.

    So requests that need not wait for one another are in one round, however busy the machine is.
    """

    def __init__(self) -> None:
        self.quiet = 0.0
        self._number = 0
        self._open = False
        self._latest = 0.0
        self._lock = threading.Lock()

    def enter(self) -> int:
        """Wait for the round to be complete; its number."""
        with self._lock:
            self._number += not self._open
            self._open = True
            self._latest = time.monotonic()
            number = self._number
        while True:
            with self._lock:
                left = self._latest + self.quiet - time.monotonic()
                if number < self._number or not self._open:
                    return number
                if left <= 0:
                    self._open = False
                    return number
            time.sleep(left)


def is_write(operation: str) -> bool:
    """Whether DynamoDB's operation changes something."""
    return operation in WRITES


class Between:
    """The proxy. ``pids`` tells the processes of the function that may be killed, ``counted`` at what requests.

    Proxies that share their ``rounds`` tell which of their requests went together.
    """

    def __init__(self, counted: Callable[[str], bool] = is_write, rounds: Rounds | None = None) -> None:
        self._counted = counted
        self._rounds = rounds or Rounds()
        self.pids: Callable[[], Sequence[int]] = list
        self.seen: list[Seen] = []
        self.killed = 0
        self._target = ""
        self._lock = threading.Lock()
        self._armed: tuple[int, Side] | None = None
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def stand_before(self, endpoint: str) -> str:
        """Begin to pass requests on to ``endpoint``; the proxy's own address."""
        self._target = urlsplit(endpoint).netloc
        self._thread.start()
        return f"http://127.0.0.1:{self._server.server_port}"

    def stop(self) -> None:
        """Stop serving."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()

    @contextmanager
    def watching(self, quiet: float = 0.0) -> Iterator[list[Seen]]:
        """Collect the requests that are made inside the block; a round ends after ``quiet`` seconds without another."""
        with self._lock:
            self.seen = []
        found: list[Seen] = []
        self._rounds.quiet = quiet
        yield found
        self._rounds.quiet = 0.0
        with self._lock:
            found += self.seen

    def kill_at(self, request: int, side: Side) -> None:
        """Kill the function at its ``request``-th counted request from now on, counted from 0; once."""
        self._armed = (request, side)

    @property
    def armed(self) -> bool:
        """Whether the request to die at has not come yet."""
        return self._armed is not None

    def disarm(self) -> None:
        """Kill nobody."""
        self._armed = None

    def _due(self, operation: str) -> Side | None:
        with self._lock:
            if self._armed is None or not self._counted(operation):
                return None
            left, side = self._armed
            self._armed = None if left == 0 else (left - 1, side)
            return side if left == 0 else None

    def _kill(self, port: int) -> None:
        for pid in self.pids():
            if any(one.laddr and one.laddr.port == port for one in psutil.Process(pid).net_connections("tcp")):
                os.kill(pid, signal.SIGKILL)
                self.killed += 1

    def _pass_on(
        self, method: str, path: str, headers: dict[str, str], body: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection(self._target, timeout=60)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        between = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # one packet an answer: two would wait for each other
            disable_nagle_algorithm = True

            def log_message(self, *arguments: Any) -> None:
                """Print nothing."""

            def do_POST(self) -> None:
                """Pass one request on."""
                body = self.rfile.read(int(self.headers["Content-Length"] or 0))
                target = self.headers["X-Amz-Target"] or f"{self.command} {urlsplit(self.path).path}"
                operation = str(target).rsplit(".", maxsplit=1)[-1]
                due = between._due(operation)
                if due is Side.BEFORE:
                    between._kill(self.client_address[1])
                    self.close_connection = True
                    return
                seen = Seen(operation, between._rounds.enter(), _actions(body))
                status, headers, answer = between._pass_on(self.command, self.path, dict(self.headers), body)
                with between._lock:
                    between.seen.append(seen)
                if due is Side.AFTER:
                    between._kill(self.client_address[1])
                    self.close_connection = True
                    return
                self.send_response_only(status)
                for name, value in headers.items():
                    if name.lower() not in {"transfer-encoding", "connection", "content-length"}:
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            do_GET = do_PUT = do_POST  # noqa: N815 - the names are http.server's

        return Handler


def _actions(body: bytes) -> int:
    return len(json.loads(body)["TransactItems"]) if b'"TransactItems"' in body else 0


def round_trips(requests: Sequence[Seen]) -> int:
    """How many requests had to follow one another."""
    return len({request.round for request in requests})
