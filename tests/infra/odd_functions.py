"""Handlers that behave as functions in trouble do."""

import os
import time
from typing import Any


def echo(event: Any, context: Any) -> Any:
    """Answer with the event."""
    return event


def raises(event: Any, context: Any) -> Any:
    """Fail."""
    raise ValueError("of no use")


def sleeps(event: Any, context: Any) -> Any:
    """Never answer in time."""
    time.sleep(60)


def dies(event: Any, context: Any) -> Any:
    """End the process."""
    os._exit(3)


def counts(event: Any, context: Any) -> Any:
    """Note each invocation in a file, and fail the first one."""
    with open(event["file"], "a+") as file:  # noqa: PTH123
        file.write("x")
        file.seek(0)
        if file.read() == "x":
            raise ValueError("the first time")


def long(event: Any, context: Any) -> Any:
    """Answer with more than Lambda lets through."""
    return "x" * 6_291_457


def process(event: Any, context: Any) -> Any:
    """Which process answers."""
    return os.getpid()
