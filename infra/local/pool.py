"""Lambda's execution environments on loopback: a pool of processes per function, one request each at a time."""

import json
import os
import select
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infra.local.worker import HEAD
from memoir.schema import FunctionDefinition

MAX_BYTES = 6 * 1024 * 1024
"""Lambda's limit of a synchronous request and of its reply."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an invocation gave: a payload, or an error object of the function."""

    payload: bytes
    failed: bool = False


class Worker:
    """One process of a function."""

    def __init__(self, function: FunctionDefinition, environment: Mapping[str, str], log: Path) -> None:
        reading, writing = os.pipe()
        with log.open("ab") as output:
            self.process = subprocess.Popen(  # noqa: S603 - our own module
                [sys.executable, "-m", "infra.local.worker", function.handler, str(writing)],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=output,
                env={**os.environ, **environment},
                pass_fds=[writing],
                start_new_session=True,  # Ctrl-C is for the parent, which ends its children in order
            )
        os.close(writing)
        self._function = function
        self._reading = reading

    @property
    def alive(self) -> bool:
        """Whether it can take a request."""
        return self.process.poll() is None

    def invoke(self, payload: str, request_id: str) -> Outcome:
        """Run one request; the process is dead afterwards when it timed out or crashed."""
        function = self._function
        request = {
            "payload": payload,
            "request_id": request_id,
            "function": function.name,
            "memory": function.memory,
            "timeout": function.timeout,
        }
        data = json.dumps(request).encode()
        deadline = time.monotonic() + function.timeout
        try:
            assert self.process.stdin is not None  # noqa: S101 - opened above
            self.process.stdin.write(HEAD.pack(len(data)) + data)
            self.process.stdin.flush()
            head = self._read(HEAD.size, deadline)
            answer = json.loads(self._read(HEAD.unpack(head)[0], deadline))
        except TimeoutError:
            self.close(kill=True)
            return _error("Sandbox.Timedout", f"{request_id} Task timed out after {function.timeout:.2f} seconds")
        except (BrokenPipeError, EOFError):
            code = self.process.wait()
            self.close(kill=True)
            return _error("Runtime.ExitError", f"RequestId: {request_id} Error: Runtime exited with exit status {code}")
        return _outcome(answer)

    def _read(self, size: int, deadline: float) -> bytes:
        pieces = []
        while size:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._reading], [], [], left)[0]:
                raise TimeoutError
            piece = os.read(self._reading, min(size, 1 << 20))
            if not piece:
                raise EOFError
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)

    def close(self, *, kill: bool = False) -> None:
        """End the process."""
        if kill:
            self.process.kill()
        if self.process.stdin is not None and not self.process.stdin.closed:
            try:
                self.process.stdin.close()
            except BrokenPipeError:
                self.process.kill()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self._reading >= 0:
            os.close(self._reading)
            self._reading = -1


def _outcome(answer: dict[str, Any]) -> Outcome:
    if "error" in answer:
        return Outcome(json.dumps(answer["error"]).encode(), failed=True)
    payload = str(answer["payload"]).encode("utf-8", "surrogatepass")
    if len(payload) > MAX_BYTES:
        return _error(
            "Function.ResponseSizeTooLarge", f"Response payload size exceeded maximum allowed size ({MAX_BYTES} bytes)."
        )
    return Outcome(payload)


def _error(kind: str, message: str) -> Outcome:
    return Outcome(json.dumps({"errorType": kind, "errorMessage": message}).encode(), failed=True)


class FunctionPool:
    """The processes of one function; they are started when requests need them."""

    def __init__(self, function: FunctionDefinition, environment: Mapping[str, str], log: Path, size: int) -> None:
        self.function = function
        self._environment = {**function.environment, **environment}
        self._log = log
        self._places = threading.BoundedSemaphore(size)
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._all: set[Worker] = set()
        self._closed = False

    def invoke(self, payload: str) -> Outcome:
        """Run one request in a process that is idle, or in a new one; wait when all are at work."""
        with self._places:
            worker = self._take()
            try:
                return worker.invoke(payload, str(uuid.uuid4()))
            finally:
                self._give_back(worker)

    def warm(self) -> None:
        """Start one process before it is needed."""
        self._give_back(self._take())

    @property
    def pids(self) -> list[int]:
        """Process ids of the living."""
        with self._lock:
            return [worker.process.pid for worker in self._all if worker.alive]

    def _take(self) -> Worker:
        with self._lock:
            while self._idle:
                worker = self._idle.pop()
                if worker.alive:
                    return worker
                self._forget(worker)
            worker = Worker(self.function, self._environment, self._log)
            self._all.add(worker)
            return worker

    def _give_back(self, worker: Worker) -> None:
        with self._lock:
            if worker.alive and not self._closed:
                self._idle.append(worker)
            else:
                self._forget(worker)

    def _forget(self, worker: Worker) -> None:
        self._all.discard(worker)
        worker.close(kill=True)

    def stop(self) -> None:
        """End all processes, those at work too."""
        with self._lock:
            self._closed = True
            workers, self._all, self._idle = list(self._all), set(), []
        for worker in workers:
            worker.process.kill()
        for worker in workers:
            worker.close(kill=True)
