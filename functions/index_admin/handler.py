"""The index's life: create it from the mapping in code, and say how it is (SPEC §13)."""

from dataclasses import asdict
from typing import Any

from memoir.domain.errors import BadRequest, MemoirError
from memoir.wiring import search_index

ACTIONS = ("create", "describe")


def handler(event: Any, context: Any) -> dict[str, Any]:  # noqa: ARG001 - Lambda's signature
    """Answer ``{"action": "create" | "describe"}`` with ``{"result": ...}`` or ``{"error": ...}``."""
    try:
        return {"result": _run(event)}
    except MemoirError as error:
        return {"error": {"code": error.code.value, "message": error.message, "retriable": error.retriable}}


def _run(event: Any) -> dict[str, Any]:
    action = event.get("action") if isinstance(event, dict) else None
    if action not in ACTIONS:
        raise BadRequest(f"action must be one of {', '.join(ACTIONS)}", path="action")
    index = search_index()
    if index is None:
        raise BadRequest("this environment has no index: MEMOIR_OPENSEARCH_ENDPOINT is not set")
    if action == "create":
        index.ensure()
    return asdict(index.describe())
