"""What a review looks at: the conversation's messages since the last successful review (page; SPEC §7)."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memoir.domain.events import EventType
from memoir.domain.pending import Pending
from memoir.domain.spoken import spoken
from memoir.domain.tools import ToolName
from memoir.domain.turn import Event

WINDOW_CHARACTERS = 60_000
"""Of a longer window the oldest part is reviewed, and the rest next time."""

_COUNTED = frozenset({EventType.MESSAGE, EventType.REPLY})
REVIEWED = frozenset({*_COUNTED, EventType.TOOL_RESULT, EventType.TOOL_ERROR})
"""Types that a review looks at: never system text, recalled or pinned memory."""
_MEMORY = re.compile(r"<memory-([\w-]+)[^>]*>.*?</memory-\1>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Line:
    """One event as the review model reads it."""

    turn: int
    sequence: int
    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Window:
    """The lines under review; ``rest`` is what comes next time."""

    lines: tuple[Line, ...]
    rest: tuple[Line, ...]

    @staticmethod
    def over(lines: Sequence[Line]) -> "Window":
        """The oldest lines of at most ``WINDOW_CHARACTERS`` together, and at least one."""
        size = 0
        for count, line in enumerate(lines):
            size += len(line.text)
            if size > WINDOW_CHARACTERS and count:
                return Window(tuple(lines[:count]), tuple(lines[count:]))
        return Window(tuple(lines), ())

    def left(self, messages: int) -> Pending:
        """What waits after it was reviewed."""
        if not self.rest:
            return Pending()
        turns = tuple(dict.fromkeys(line.turn for line in self.rest))
        return Pending(turns, self.rest[0].sequence - 1, messages)

    def render(self) -> str:
        """One JSON object a line, so that no text can end the list."""
        return "\n".join(
            json.dumps({"turn": line.turn, "from": line.speaker, "text": _fitting(line.text)}, ensure_ascii=False)
            for line in self.lines
        )


def lines_of(turn: int, events: Iterable[Event], after: int = 0) -> list[Line]:
    """The lines of a turn's main conversation, without what native tools found and what recalls put there."""
    natives = set(ToolName)
    lines = []
    for event in events:
        if event.helper is not None or event.type not in REVIEWED or event.sequence <= after:
            continue
        if event.body.get("name") in natives:
            continue
        if text := _MEMORY.sub("", spoken(event)).strip():
            lines.append(Line(turn, event.sequence, _speaker(event), text))
    return lines


def messages_in(events: Iterable[Event]) -> int:
    """User messages and the agent's replies of the main conversation."""
    return sum(event.helper is None and event.type in _COUNTED for event in events)


def _speaker(event: Event) -> str:
    if event.type is EventType.MESSAGE:
        return "user"
    if event.type is EventType.REPLY:
        return "agent"
    error = ", error" if event.type is EventType.TOOL_ERROR else ""
    return f"tool {event.body.get('name')}{error}"


def _fitting(text: str) -> str:
    if len(text) <= WINDOW_CHARACTERS:
        return text
    left = len(text) - WINDOW_CHARACTERS
    return f"{text[:WINDOW_CHARACTERS]} [{left} more characters are not shown]"
