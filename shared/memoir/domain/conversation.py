"""What a conversation says and what stands in its context (page "Agent memory"; SPEC §1, §4 "Recall").

A conversation is the session's main thread over its committed turns and this attempt, or one helper's within its turn.
"""

from collections.abc import Sequence

from memoir.domain.events import EventType
from memoir.domain.spoken import spoken
from memoir.domain.turn import Call, CallStatus, Drop, Dropped, Event, Listed, LogEntry

QUERY_CHARACTERS = 8_000
"""Characters of a recall's query, its tail kept (SPEC §4)."""
LISTED_VERSIONS = 2_000
"""Newest record versions that a session remembers as listed."""
SAID = 2
"""Replies or results that a recall's query takes."""

_SAYING = frozenset({EventType.REPLY, EventType.TOOL_RESULT, EventType.TOOL_ERROR, EventType.HELPER})


def recall_query(newest_first: Sequence[Event], helper: str | None) -> str:
    """The last user message and the last two replies or results of the conversation; empty when nothing was said."""
    message: str | None = None
    said = 0
    texts: list[str] = []
    for event in newest_first:
        text = _text(event) if event.helper == helper else ""
        if text and event.type is EventType.MESSAGE and message is None:
            message = text
        elif text and event.type in _SAYING and said < SAID:
            said += 1
        else:
            continue
        texts.append(text)
    return "\n".join(reversed(texts))[-QUERY_CHARACTERS:].strip()


def _text(event: Event) -> str:
    if event.type is EventType.HELPER:
        return str(event.body.get("text", "")).strip() if event.helper is not None else ""
    return spoken(event).strip()


def in_context(before: Sequence[Listed], log: Sequence[LogEntry], helper: str | None) -> list[Listed]:
    """The recorded recalls that the conversation still has before it.

    Args:
        before: Those of the session's committed turns; a helper starts with none.
        log: The attempt's log in the order of its sequences.
        helper: The helper's id, or ``None`` for the main thread.
    """
    listed = list(before) if helper is None else []
    for entry in log:
        if entry.helper != helper:
            continue
        listed = without(listed, entry.dropped)
        if isinstance(entry, Call) and entry.listed is not None:
            listed.append(entry.listed)
    return listed


def without(listed: list[Listed], dropped: Dropped | None) -> list[Listed]:
    """What is left in context after a drop."""
    if dropped is None:
        return listed
    return [] if dropped == "all" else [one for one in listed if one.execution_id not in dropped]


def newest_listed(listed: Sequence[Listed]) -> tuple[Listed, ...]:
    """The newest recalls with at most ``LISTED_VERSIONS`` versions together."""
    kept: list[Listed] = []
    left = LISTED_VERSIONS
    for one in reversed(listed):
        left -= len(one.versions)
        if left < 0:
            break
        kept.append(one)
    return tuple(reversed(kept))


def dropped_by(append_id: str, events: Sequence[Event]) -> list[Drop]:
    """The drops that an append's ``context`` events tell of."""
    drops = []
    for event in events:
        if event.type is EventType.CONTEXT:
            named = event.body["dropped"]
            dropped: Dropped = tuple(map(str, named)) if isinstance(named, list | tuple) else "all"
            drops.append(Drop(append_id, event.sequence, event.helper, dropped))
    return drops


def reached_model(calls: Sequence[Call], replies: dict[str | None, int]) -> list[str]:
    """Executions whose output a reply of the same conversation followed (SPEC §4 "Output uses").

    Args:
        calls: The attempt's calls.
        replies: Sequence of the last reply by conversation.
    """
    return [call.execution_id for call in calls if _retrieves(call) and replies.get(call.helper, 0) > call.sequence]


def _retrieves(call: Call) -> bool:
    if call.kind == "recall":
        return call.listed is not None
    return call.name == "search_memory" and call.status is CallStatus.COMPLETED and bool(call.answer.get("records"))
