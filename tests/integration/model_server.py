"""A model endpoint on loopback that computes its answers from the request, and misbehaves as it is told."""

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]


@dataclass
class Answer:
    """Status, body and headers of an answer; it may come late."""

    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0


@dataclass
class Asked:
    """A request as it came."""

    path: str
    headers: dict[str, str]
    body: Json


class ModelServer:
    """Answers with ``behaviour``, but first with those of ``next``, once each."""

    def __init__(self, behaviour: Callable[[Asked], Answer]) -> None:
        self.behaviour = behaviour
        self.next: list[Callable[[Asked], Answer]] = []
        self.asked: list[Asked] = []
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def stop(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _answer(self, asked: Asked) -> Answer:
        with self._lock:
            self.asked.append(asked)
            behaviour = self.next.pop(0) if self.next else self.behaviour
        return behaviour(asked)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *arguments: Any) -> None:
                """Print nothing."""

            def do_POST(self) -> None:
                """Answer."""
                data = self.rfile.read(int(self.headers["Content-Length"] or 0))
                answer = server._answer(Asked(self.path, dict(self.headers), json.loads(data)))
                time.sleep(answer.delay)
                try:
                    self.send_response_only(answer.status)
                    for name, value in answer.headers.items():
                        self.send_header(name, value)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(answer.body)))
                    self.end_headers()
                    self.wfile.write(answer.body)
                except OSError:
                    self.close_connection = True  # whoever asked did not wait

        return Handler


def ok(found: Any, **headers: str) -> Answer:
    """An answer as it should be."""
    return Answer(200, json.dumps(found).encode(), headers)


def numbers(text: str, dimensions: int) -> list[float]:
    """A vector that tells texts apart: counts of their characters."""
    values = [0.1] * dimensions
    for character in text:
        values[ord(character) % dimensions] += 1.0
    return values
