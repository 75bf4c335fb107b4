"""Sizes of events (SPEC §4: 3 MB an event)."""

import json

from memoir.domain.turn import Event


def event_bytes(event: Event) -> int:
    """Bytes of UTF-8 that an event takes as JSON."""
    return len(json.dumps(event.body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"))
