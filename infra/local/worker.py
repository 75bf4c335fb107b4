"""One process of a function: imports its handler once, then answers one request at a time.

``python -m infra.local.worker MODULE:ATTRIBUTE FD``. Requests come on standard input as length-prefixed JSON, answers
go to the file descriptor; what the handler prints goes to the function's log.
"""

import importlib
import json
import os
import queue
import struct
import sys
import threading
import time
import traceback
from dataclasses import dataclass
from typing import Any

HEAD = struct.Struct(">I")


@dataclass(frozen=True)
class Context:
    """The context object that Lambda hands to a handler."""

    function_name: str
    aws_request_id: str
    memory_limit_in_mb: int
    deadline: float
    function_version: str = "$LATEST"
    log_group_name: str = "local"
    log_stream_name: str = "local"

    @property
    def invoked_function_arn(self) -> str:
        """An ARN as Lambda would name it."""
        return f"arn:aws:lambda:us-east-1:123456789012:function:{self.function_name}"

    def get_remaining_time_in_millis(self) -> int:
        """Milliseconds until the function is killed."""
        return max(0, int((self.deadline - time.monotonic()) * 1000))


def main(handler_name: str, descriptor: int) -> None:
    """Answer until the parent is gone."""
    answers = os.fdopen(descriptor, "wb", buffering=0)
    requests: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=_read, args=(requests,), daemon=True).start()
    module, _, attribute = handler_name.partition(":")
    try:
        handler = getattr(importlib.import_module(module), attribute)
    except BaseException as error:
        _send(answers, {"error": _described(error)})
        raise
    while True:
        request = json.loads(requests.get())
        _send(answers, _answer(handler, request))


def _read(requests: "queue.Queue[bytes]") -> None:
    # NOTE: the end of the input is the end of the parent; a handler at work must not outlive it.
    source = sys.stdin.buffer
    while head := source.read(HEAD.size):
        requests.put(source.read(HEAD.unpack(head)[0]))
    os._exit(0)


def _answer(handler: Any, request: dict[str, Any]) -> dict[str, Any]:
    context = Context(
        function_name=request["function"],
        aws_request_id=request["request_id"],
        memory_limit_in_mb=request["memory"],
        deadline=time.monotonic() + request["timeout"],
    )
    try:
        payload = json.dumps(handler(json.loads(request["payload"]), context), ensure_ascii=False)
    except Exception as error:  # noqa: BLE001 - a function's error is an answer of the Lambda API
        return {"error": _described(error)}
    return {"payload": payload}


def _described(error: BaseException) -> dict[str, Any]:
    lines = traceback.format_tb(error.__traceback__)
    return {"errorMessage": str(error), "errorType": type(error).__name__, "stackTrace": lines}


def _send(answers: Any, answer: dict[str, Any]) -> None:
    data = json.dumps(answer).encode("utf-8", "surrogatepass")
    view = memoryview(HEAD.pack(len(data)) + data)
    while view:
        view = view[answers.write(view) :]


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
