"""The entry of the client: register agents, begin turns, describe them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import JsonValue
from uuid6 import uuid7

from memoir.client._local import LocalFunction, lambda_config
from memoir.client._transport import RetryPolicy, Transport, build
from memoir.client._turn import Turn
from memoir.protocol import (
    BeginTurn,
    DescribeTurn,
    DescribeTurnResult,
    JsonObject,
    RegisterAgent,
    RegisterAgentResult,
)
from memoir.schema import AGENT_RUNTIME

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient


class Memoir:
    """A memoir system, as an agent runtime sees it. Safe to share between threads.

    Args:
        lambda_client: boto3's Lambda client; make it with ``config=lambda_config()``.
        function_name: Name or ARN of the ``agent_runtime`` function.
        retry: When to repeat a call.
    """

    def __init__(
        self,
        lambda_client: "LambdaClient",
        function_name: str = AGENT_RUNTIME.name,
        *,
        retry: RetryPolicy | None = None,
    ) -> None:
        self._transport = Transport(lambda_client, function_name, retry or RetryPolicy())

    @classmethod
    def local(cls, path: str | Path | None = None, *, retry: RetryPolicy | None = None) -> "Memoir":
        """The system that ``make up`` runs on this machine.

        Args:
            path: Its file; else the variable ``MEMOIR_LOCAL``, else ``.memoir/local.json`` here.
            retry: When to repeat a call.

        Raises:
            LocalSystemMissing: It is not running.
        """
        function = LocalFunction.read(AGENT_RUNTIME.key, Path(path) if path else None)
        return cls(function.client(), function.name, retry=retry)

    @classmethod
    def aws(
        cls, function_name: str = AGENT_RUNTIME.name, *, region: str | None = None, retry: RetryPolicy | None = None
    ) -> "Memoir":
        """A deployed system, with boto3's usual credentials."""
        import boto3

        return cls(boto3.client("lambda", region_name=region, config=lambda_config()), function_name, retry=retry)

    def register_agent(
        self,
        *,
        action_id: str,
        name: str,
        harness: Mapping[str, JsonValue],
        principal: str | None = None,
        policies: Sequence[JsonObject] | None = None,
        request_id: str | None = None,
    ) -> RegisterAgentResult:
        """Register a version of an agent; the same content as its latest version returns that one.

        Args:
            action_id: The agent's UUID.
            name: For people.
            harness: The configuration (SPEC §2).
            principal: Who the agent acts as; ``agent:<action_id>`` by default.
            policies: The agent's own policies.
            request_id: Names this registration, so that its repetition is known; made here by default.

        Raises:
            MemoirCallError: ``INVALID_CONFIG`` with one line a fault, and others.
        """
        fields = {
            "operation": "registerAgent",
            "action_id": action_id,
            "name": name,
            "principal": principal,
            "harness": dict(harness),
            "policies": None if policies is None else tuple(policies),
            "request_id": request_id or str(uuid7()),
        }
        return self._transport.call(build(RegisterAgent, fields), RegisterAgentResult)

    def turn(
        self,
        *,
        action_id: str,
        principal: str,
        message: str | list[JsonObject],
        session_id: str | None = None,
        execution_id: str | None = None,
        invocation_number: int = 1,
        version: int | None = None,
        started_by: str | None = None,
        time: datetime | str | None = None,
        preview: bool = False,
    ) -> Turn:
        """A turn, begun when its ``with`` block is entered.

        Args:
            action_id: The agent.
            principal: Who calls the agent.
            message: The user's text, or content blocks.
            session_id: The session; ``None`` only for an agent without sessions.
            execution_id: A UUID made by the caller, to find this turn again; made here by default.
            invocation_number: The attempt; above 1 for a runtime that restarted (see also ``Turn.retry``).
            version: The agent's version; the latest by default.
            started_by: The execution that started this one.
            time: When the message came, with its offset.
            preview: Whether the turn runs in preview mode: it changes no live record, and live turns never see its own.

        Raises:
            MemoirCallError: ``BAD_REQUEST``: a field is malformed.
        """
        fields = {
            "operation": "beginTurn",
            "action_id": action_id,
            "version": version,
            "session_id": session_id,
            "execution_id": execution_id or str(uuid7()),
            "invocation_number": invocation_number,
            "principal": principal,
            "started_by": started_by,
            "time": time.isoformat() if isinstance(time, datetime) else time,
            "message": message,
            "preview": preview or None,
        }
        return Turn(self._transport, build(BeginTurn, fields))

    def describe(
        self,
        *,
        execution_id: str | None = None,
        invocation_number: int | None = None,
        action_id: str | None = None,
        session_id: str | None = None,
    ) -> DescribeTurnResult:
        """The state of an attempt, or of the open turn of a session (give ``action_id`` and ``session_id``).

        Raises:
            MemoirCallError: ``NOT_FOUND``: there is no such attempt or session, or no turn of it is open.
        """
        fields: dict[str, object] = {
            "operation": "describeTurn",
            "execution_id": execution_id,
            "invocation_number": invocation_number,
            "action_id": action_id,
            "session_id": session_id,
        }
        return self._transport.call(build(DescribeTurn, fields), DescribeTurnResult)
