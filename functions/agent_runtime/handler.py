"""The turn protocol as one Lambda function: parse, call one service, present (SPEC §4)."""

import time
from typing import Any

from functions.agent_runtime.operations import run
from functions.agent_runtime.requests import parse_request
from memoir.domain.errors import MemoirError
from memoir.observability import logger
from memoir.protocol import ErrorBody
from memoir.wiring import resources


def handler(event: Any, context: Any) -> dict[str, Any]:
    """Answer one request with ``{"result": ...}`` or ``{"error": ...}``; only unexpected faults raise."""
    started = time.perf_counter()
    operation = event.get("operation") if isinstance(event, dict) else None
    known = operation if isinstance(operation, str) and len(operation) < 32 else "unknown"
    fields = {"operation": known, "aws_request_id": getattr(context, "aws_request_id", None)}
    try:
        reply = {"result": run(resources(), parse_request(event))}
        outcome = "ok"
    except MemoirError as error:
        body = ErrorBody(code=error.code, message=error.message, retriable=error.retriable, path=error.path)
        reply = {"error": body.model_dump(mode="json", by_alias=True)}
        outcome = error.code.value
    logger.info("request", extra={**fields, "outcome": outcome, "seconds": round(time.perf_counter() - started, 4)})
    return reply
