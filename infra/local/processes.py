"""Child processes that end with their parent, however it ends.

A child reads its standard input; when the parent dies, by ``kill -9`` too, the system closes the other end.
"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

READY_SECONDS = 90


class PartFailed(Exception):
    """A part of the local system did not start, or ended before it was told to."""


class Child:
    """A part of the system in a process of its own, which prints one JSON line when it is ready."""

    def __init__(self, name: str, module: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        self.name = name
        self.log = log
        self._output: IO[bytes] = log.open("ab")
        self._process = subprocess.Popen(  # noqa: S603 - our own modules
            [sys.executable, "-m", *module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._output,
            env={**os.environ, **environment},
            start_new_session=True,  # Ctrl-C is for the parent, which ends its children in order
        )

    def ready(self) -> dict[str, Any]:
        """Wait for its line.

        Raises:
            PartFailed: It ended without one.
        """
        timer = threading.Timer(READY_SECONDS, self._process.kill)
        timer.start()
        try:
            assert self._process.stdout is not None  # noqa: S101 - opened above
            line = self._process.stdout.readline()
        finally:
            timer.cancel()
        if not line:
            raise PartFailed(f"{self.name} did not start: see {self.log}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self._process.poll() is None

    def stop(self, seconds: float = 15) -> None:
        """Let it end, and kill it when it does not."""
        assert self._process.stdin is not None and self._process.stdout is not None  # noqa: S101, PT018
        self._process.stdin.close()
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._output.close()


def say_ready(**facts: Any) -> None:
    """Tell the parent that this process is ready; called by the child."""
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


def wait_for_parent() -> None:
    """Return when the parent is gone, or lets this process end; called by the child."""
    while sys.stdin.buffer.read(4096):
        pass
