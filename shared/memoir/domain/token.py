"""The turn's ``executionToken``: names its attempt, signed; it holds while that attempt is open (SPEC §12)."""

import base64
import hashlib
import hmac
import json

from memoir.domain.turn import AttemptId

FORMAT = 1


def execution_token(attempt: AttemptId, action_id: str, issued: str, key: bytes) -> str:
    """Make the token of an attempt; the same attempt gets the same token."""
    payload = {"v": FORMAT, "e": attempt.execution_id, "i": attempt.number, "a": action_id, "t": issued}
    body = json.dumps(payload, separators=(",", ":")).encode()
    mac = hmac.new(key, b"execution:" + body, hashlib.sha256).digest()
    return base64.urlsafe_b64encode(mac + body).decode().rstrip("=")
