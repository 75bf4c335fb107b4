"""Cursors: opaque, signed, bound to one list (SPEC §5).

A cursor is URL-safe base64 of ``{"v": format, "l": list, "p": position}`` with an HMAC. The list's name is a digest of
whose list it is and of its filters, so a cursor of another list is told apart from a malformed one.
"""

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memoir.domain.errors import InvalidCursor

FORMAT = 1
_MAC_BYTES = 16
MAX_BYTES = 2048


@dataclass(frozen=True, slots=True)
class Position:
    """Where a page ended: the last row's creation time and id.

    Attributes:
        created: RFC 3339 UTC; for a row that its turn had only staged, empty.
        attempt: ``(execution, invocation)`` of the turn that had staged the row.
    """

    created: str
    memory_id: str
    attempt: tuple[str, int] | None = None


def list_name(parts: Sequence[object]) -> str:
    """A short name for a list: whose it is, and its filters."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:16]


def encode_cursor(name: str, position: Position, key: bytes) -> str:
    """Make the cursor of a position in the list ``name``."""
    payload = {"v": FORMAT, "l": name, "p": [position.created, position.memory_id, position.attempt]}
    body = json.dumps(payload, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(_mac(key, body) + body).decode().rstrip("=")


def decode_cursor(text: str, name: str, keys: Sequence[bytes]) -> Position:
    """Read a cursor of the list ``name``.

    Args:
        text: The cursor.
        name: The list it must belong to.
        keys: Signing keys, current and previous.

    Raises:
        InvalidCursor: It is malformed, edited, of another list, or of a newer format.
    """
    payload = _verified(text, keys)
    if payload.get("v") != FORMAT:
        raise InvalidCursor("the cursor has an unknown format: start again without it", path="after")
    if payload["l"] != name:
        raise InvalidCursor("the cursor belongs to another list or other filters: start again without it", path="after")
    place = payload["p"]
    return Position(place[0], place[1], (place[2][0], place[2][1]) if place[2] else None)


def _verified(text: str, keys: Sequence[bytes]) -> dict[str, Any]:
    fault = InvalidCursor("the cursor is malformed: pass the value of next as it was given", path="after")
    if not text or len(text) > MAX_BYTES or not text.isascii():
        raise fault
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except binascii.Error as exc:
        raise fault from exc
    mac, body = raw[:_MAC_BYTES], raw[_MAC_BYTES:]
    if base64.urlsafe_b64encode(raw).decode().rstrip("=") != text:
        raise fault
    if not any(hmac.compare_digest(mac, _mac(key, body)) for key in keys):
        raise fault
    return dict(json.loads(body))


def _mac(key: bytes, body: bytes) -> bytes:
    return hmac.new(key, b"cursor:" + body, hashlib.sha256).digest()[:_MAC_BYTES]
