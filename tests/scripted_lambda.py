"""A Lambda client that answers from a script: the client's other side in unit tests."""

import io
import json
from typing import Any, cast

from botocore.exceptions import ClientError

from memoir.client import ErrorCode, Memoir, RetryPolicy, Turn

AGENT = "0190b5a4-7c1e-7000-8000-000000000001"
MEMORY = "0190b5a4-7c1e-7000-8000-0000000000aa"
Step = dict[str, Any] | Exception


class ScriptedLambda:
    """Answers ``invoke`` from a script, in order, and keeps the payloads it got."""

    def __init__(self, *script: Step) -> None:
        self.script = list(script)
        self.payloads: list[bytes] = []

    def invoke(self, *, FunctionName: str, InvocationType: str, Payload: bytes) -> dict[str, Any]:  # noqa: N803
        assert (FunctionName, InvocationType) == ("memoir-agent-runtime", "RequestResponse")
        self.payloads.append(Payload)
        step = self.script.pop(0)
        if isinstance(step, Exception):
            raise step
        return {"StatusCode": 200, **step, "Payload": io.BytesIO(step["Payload"])}

    @property
    def requests(self) -> list[dict[str, Any]]:
        return [json.loads(payload) for payload in self.payloads]

    @property
    def operations(self) -> list[str]:
        return [request["operation"] for request in self.requests]


def answer(**result: Any) -> Step:
    return {"Payload": json.dumps({"result": result}).encode()}


def refusal(code: ErrorCode, *, retriable: bool = False, path: str | None = None) -> Step:
    error = {"code": code, "message": "a sentence to act on", "retriable": retriable, "path": path}
    return {"Payload": json.dumps({"error": error}).encode()}


def crash() -> Step:
    return {"FunctionError": "Unhandled", "Payload": b'{"errorMessage": "Task timed out after 120.00 seconds"}'}


def throttled(code: str = "TooManyRequestsException", status: int = 429) -> ClientError:
    response = {"Error": {"Code": code, "Message": "Rate exceeded"}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return ClientError(cast("Any", response), "Invoke")


BEGUN = answer(turn=3, version=2, instructions="Mind the pins.", tools=[], executionToken="token")
COMMITTED = answer()
ROLLED_BACK = answer(status="ROLLED_BACK")
APPENDED = answer(first=2, last=2)


class Pauses:
    """A policy that never sleeps and keeps the waits it was asked for."""

    def __init__(self, total_wait: float = 30.0, faults: int = 4) -> None:
        self.waits: list[float] = []
        self.policy = RetryPolicy(total_wait=total_wait, faults=faults, sleep=self.waits.append, jitter=lambda: 1.0)


def client(fake: ScriptedLambda, pauses: Pauses | None = None) -> Memoir:
    return Memoir(cast("Any", fake), retry=(pauses or Pauses()).policy)


def turn_over(fake: ScriptedLambda, pauses: Pauses | None = None, **fields: Any) -> Turn:
    given = {"action_id": AGENT, "session_id": "maya", "principal": "app:chat", "message": "Hello"}
    return client(fake, pauses).turn(**(given | fields))


def tool_answer(status: str = "COMPLETED", text: str = "done", **output: Any) -> Step:
    return answer(status=status, output=output, text=text, executionId=MEMORY)


def change() -> dict[str, Any]:
    return {
        "memoryId": MEMORY,
        "version": 1,
        "status": "ACTIVE",
        "scope": "SESSION",
        "kind": "fact",
        "summary": "Likes tea",
    }
