"""What an event says, as plain text (SPEC §4 "Recall", §10)."""

import json
from collections.abc import Mapping

from pydantic import JsonValue

from memoir.domain.events import EventType
from memoir.domain.turn import Event


def spoken(event: Event) -> str:
    """The text of a message, a reply, or a tool's result or error; empty for everything else."""
    body = event.body
    if event.type in (EventType.MESSAGE, EventType.REPLY):
        content = body.get("content")
        if isinstance(content, list):
            return "\n".join(text for block in content if (text := _block_text(block)))
        return str(body.get("text") or "")
    if event.type is EventType.TOOL_RESULT:
        return _plain(body.get("output"))
    if event.type is EventType.TOOL_ERROR:
        return _plain(body.get("error"))
    return ""


def _block_text(block: JsonValue) -> str:
    """The text of one content block of a message, in the forms that runtimes use."""
    if not isinstance(block, Mapping):
        return ""
    text = block.get("text")
    return text if isinstance(text, str) else ""


def _plain(value: JsonValue) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
