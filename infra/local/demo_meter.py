"""A Lambda client that counts what passes through it, and can lose an answer on its way back."""

import json
import statistics
import threading
import time
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ReadTimeoutError

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient


@dataclass(frozen=True, slots=True)
class Measured:
    """The calls of one operation; times in milliseconds, measured at the client."""

    operation: str
    calls: int
    median: float
    slowest: float


class Meter:
    """Wraps boto3's Lambda client; only ``invoke`` passes.

    Args:
        client: Where the calls go.
    """

    def __init__(self, client: "LambdaClient") -> None:
        self._client = client
        self._lock = threading.Lock()
        self._seconds: dict[str, list[float]] = defaultdict(list)
        self._lost: str | None = None

    def lose_next_answer(self, operation: str) -> None:
        """Let the next call of ``operation`` do its work, and its answer get lost on the way back."""
        self._lost = operation

    def invoke(self, **request: Any) -> Any:
        """Boto3's ``invoke``."""
        operation = json.loads(request["Payload"])["operation"]
        start = time.perf_counter()
        response = self._client.invoke(**request)
        with self._lock:
            self._seconds[operation].append(time.perf_counter() - start)
            lost, self._lost = self._lost == operation, None if self._lost == operation else self._lost
        if lost:
            response["Payload"].read()
            raise ReadTimeoutError(endpoint_url="the demo's network")
        return response

    def measured(self) -> list[Measured]:
        """What passed, the most frequent operation first."""
        rows = [
            Measured(operation, len(seconds), statistics.median(seconds) * 1000, max(seconds) * 1000)
            for operation, seconds in self._seconds.items()
        ]
        return sorted(rows, key=lambda row: -row.calls)
