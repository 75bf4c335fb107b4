"""The ``agent_runtime`` function as a caller in any language sees it: plain JSON through boto3's Lambda client.

Nothing of memoir is imported, so that the tests hold the protocol and not our own client to the page.
"""

import json
import uuid
from collections.abc import Mapping
from typing import Any, Protocol

Json = dict[str, Any]

BOTH = {"read": ["session", "agent"], "write": ["session", "agent"]}
ALL_TOOLS = ["add_memory", "read_memory", "delete_memory"]


class LambdaApi(Protocol):
    """What the driver needs of boto3's Lambda client."""

    def invoke(self, *, FunctionName: str, Payload: bytes) -> Mapping[str, Any]:  # noqa: N803
        """Invoke a function and wait for its answer."""
        ...


class Refused(Exception):
    """An error reply."""

    def __init__(self, error: Json) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.code: str = error["code"]
        self.message: str = error["message"]
        self.retriable: bool = error["retriable"]
        self.path: str | None = error.get("path")


class FunctionDied(Exception):
    """The function ended without a reply of its own."""


class Runtime:
    """The ``agent_runtime`` function as a caller in any language sees it."""

    def __init__(self, client: LambdaApi, function: str) -> None:
        self._client = client
        self._function = function

    def send(self, payload: bytes) -> Any:
        """Invoke with these bytes; the whole reply, parsed."""
        answer = self._client.invoke(FunctionName=self._function, Payload=payload)
        body = answer["Payload"].read()
        if answer.get("FunctionError"):
            raise FunctionDied(body.decode()[:2000])
        return json.loads(body)

    def reply(self, operation: str, fields: Mapping[str, Any]) -> Json:
        """The reply to a request: exactly one of ``result`` and ``error``."""
        request = {"operation": operation, **fields}
        try:
            payload = json.dumps(request, ensure_ascii=False).encode()
        except UnicodeEncodeError:  # half a character passes as an escape only
            payload = json.dumps(request).encode()
        reply = self.send(payload)
        assert isinstance(reply, dict)
        assert len(reply) == 1, f"a reply has one of result and error, not {sorted(reply)}"
        assert "result" in reply or "error" in reply
        return reply

    def call(self, operation: str, **fields: Any) -> Json:
        """The result of a call.

        Raises:
            Refused: It answered with an error.
        """
        reply = self.reply(operation, fields)
        if "error" in reply:
            raise Refused(reply["error"])
        result: Json = reply["result"]
        return result

    def refusal(self, operation: str, **fields: Any) -> Refused:
        """The error of a call that must be refused."""
        reply = self.reply(operation, fields)
        assert "error" in reply, f"{operation} was not refused: {json.dumps(reply)[:400]}"
        return Refused(reply["error"])


def new_id() -> str:
    """A UUID as a runtime makes them."""
    return str(uuid.uuid4())


def harness(**memory: Any) -> Json:
    """A configuration with memory on, both scopes and every tool, but for what is given."""
    return {"memory": {"enabled": True, "scope": BOTH, "tools": ALL_TOOLS, **memory}}


def lexical(**memory: Any) -> Json:
    """The same, searching by words alone, so that no query is embedded."""
    return harness(search={"mode": "lexical", **memory.pop("search", {})}, **memory)
