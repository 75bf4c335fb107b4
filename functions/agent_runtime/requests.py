"""From a Lambda payload to a typed request, or to an error that names what is wrong (SPEC §4)."""

import json
from typing import Any

from pydantic import TypeAdapter, ValidationError

from memoir.domain.errors import BadRequest, LimitExceeded
from memoir.domain.events import EventType
from memoir.domain.faults import describe_faults, faults_of
from memoir.domain.text import lone_surrogate
from memoir.protocol import MAX_REQUEST_BYTES, OPERATIONS, Request

_ADAPTER: TypeAdapter[Request] = TypeAdapter(Request)
MAX_DEPTH = 100
"""Lists and objects inside one another in a request."""
_TAGS = (*OPERATIONS, *EventType)


def parse_request(payload: Any) -> Request:
    """Check a payload.

    Args:
        payload: What the caller sent, as Lambda decoded it.

    Raises:
        BadRequest: It is no request, or nested too deep; one line a fault, each with its path.
        LimitExceeded: It is over 5 MB.
    """
    if not isinstance(payload, dict):
        raise BadRequest('the payload must be a JSON object such as {"operation": "describeTurn", ...}')
    operation = payload.get("operation")
    if operation not in OPERATIONS:
        given = "is missing" if operation is None else f"{str(operation)[:64]!r} is unknown"
        raise BadRequest(f"operation {given}: use one of {', '.join(OPERATIONS)}", path="operation")
    _check_depth(payload)
    document = _document(payload)
    try:
        return _ADAPTER.validate_json(document, by_alias=True, by_name=False)
    except ValidationError as exc:
        faults = faults_of(exc, tags=_TAGS)
        raise BadRequest(describe_faults(faults), path=faults[0].path or None) from exc


def _check_depth(payload: dict[str, Any]) -> None:
    level: list[Any] = [payload]
    paths: list[str] = [""]
    for _ in range(MAX_DEPTH):
        below = [(one, path) for value, path in zip(level, paths, strict=True) for one, path in _inside(value, path)]
        level, paths = [one for one, _ in below], [path for _, path in below]
        if not level:
            return
    raise BadRequest(
        f"{paths[0]} is nested deeper than {MAX_DEPTH} levels: send flatter data, or the deep part as a text",
        path=paths[0],
    )


def _inside(value: Any, path: str) -> list[tuple[Any, str]]:
    """What stands inside a list or object that may hold more, with the name of the request's field."""
    if isinstance(value, dict):
        return [(one, path or str(key)) for key, one in value.items() if isinstance(one, dict | list)]
    return [(one, path) for one in value if isinstance(one, dict | list)]


def _document(payload: dict[str, Any]) -> bytes:
    try:
        text = json.dumps(payload, ensure_ascii=False, allow_nan=False)
    except ValueError as exc:
        raise BadRequest("numbers must be finite: NaN and Infinity are no JSON") from exc
    if lone_surrogate(text) is not None:
        path, position = _half_character(payload, "") or ("", 0)
        raise BadRequest(
            f"{path} holds half a character (a lone surrogate) at position {position}: send well-formed text",
            path=path or None,
        )
    document = text.encode()
    if len(document) > MAX_REQUEST_BYTES:
        raise LimitExceeded(
            f"the request is {len(document)} bytes as JSON; at most {MAX_REQUEST_BYTES} are allowed: use several calls"
        )
    return document


def _half_character(value: Any, path: str) -> tuple[str, int] | None:
    """Where the first lone surrogate stands, as path and position."""
    if isinstance(value, str):
        position = lone_surrogate(value)
        return None if position is None else (path, position)
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in items:
        below = f"{path}[{key}]" if isinstance(key, int) else f"{path}.{key}" if path else str(key)
        if isinstance(key, str) and (position := lone_surrogate(key)) is not None:
            return path or "a name", position
        if found := _half_character(one, below):
            return found
    return None
