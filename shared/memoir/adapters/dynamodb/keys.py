"""The one builder of keys (DESIGN "Tables and keys").

Ids that callers name are percent-encoded, so that a ``#`` in one makes no other key.
"""

from urllib.parse import quote

from memoir.domain.turn import AttemptId
from memoir.schema import OUTBOX_PREFIX

AGENT = "A"
SESSION = "S"
EXECUTION = "X"
RECORD = "R"
SHADOWS = "W#"
LOCK = "H"
EVENTS = "E#"
APPENDS = "B#"
LOG = "L#"
REVIEW = "REVIEW"
REVIEW_CHANGES = "V#"


def safe(name: str) -> str:
    """A caller's id as part of a key."""
    return quote(name, safe="")


def agent(action_id: str) -> str:
    """Partition of an agent: its head, versions, registrations, and the outbox of its agent scope."""
    return f"A#{action_id}"


def version(number: int) -> str:
    """Sort key of an agent's version."""
    return f"V#{number:08d}"


def registration(request_id: str) -> str:
    """Sort key of a ``registerAgent`` request."""
    return f"Q#{safe(request_id)}"


def session(action_id: str, session_id: str | None) -> str:
    """Partition of a session; no session can be named as the one for turns without sessions."""
    return f"S#{action_id}#{safe(session_id) if session_id is not None else ''}"


def turn(number: int | None, execution_id: str) -> str:
    """Sort key of a committed turn."""
    return f"T#{number:08d}" if number is not None else f"T#{execution_id}"


def outbox(outbox_id: str) -> str:
    """Sort key of a commit's outbox item."""
    return f"{OUTBOX_PREFIX}{outbox_id}"


def execution(execution_id: str) -> str:
    """Partition of an execution and its attempts."""
    return f"X#{execution_id}"


def attempt(number: int) -> str:
    """Sort key of an attempt."""
    return f"I#{number:04d}"


def record(action_id: str, memory_id: str) -> str:
    """Partition of a record."""
    return f"R#{action_id}#{memory_id}"


def listed(*, preview: bool) -> str:
    """Sort key of the recalls that a session's turns of one mode still have in context."""
    return "L#P" if preview else "L"


def pins(*, preview: bool) -> str:
    """Sort key of a scope's pinned list of one mode."""
    return "PIN#P" if preview else "PIN#L"


def shadows(action_id: str) -> str:
    """Partition of an agent's live records that preview records hide."""
    return f"W#{action_id}"


def shadow(live_id: str) -> str:
    """Sort key of one of them."""
    return f"{SHADOWS}{live_id}"


def lock(key: str) -> str:
    """Partition of a duplicate lock; the HMAC covers agent, scope and mode."""
    return f"H#{key}"


def agent_list(action_id: str, session_id: str | None, *, preview: bool) -> str:
    """Partition of a list of ACTIVE records of one mode: the session's, or the agent's."""
    scope = f"A#{action_id}#AG" if session_id is None else session(action_id, session_id)
    return f"P#{scope}" if preview else scope


def row(created: str, memory_id: str) -> str:
    """Sort key of a list's row."""
    return f"{created}#{memory_id}"


def transcript(attempt_id: AttemptId) -> str:
    """Partition of an attempt's transcript."""
    return f"X#{attempt_id.execution_id}#{attempt_id.number:04d}"


def event(sequence: int) -> str:
    """Sort key of an event."""
    return f"{EVENTS}{sequence:08d}"


def append(append_id: str) -> str:
    """Sort key of an append."""
    return f"{APPENDS}{safe(append_id)}"


def call(kind: str, call_id: str) -> str:
    """Sort key of a call in the log; recalls and tool calls do not collide."""
    return f"{LOG}{'R' if kind == 'recall' else 'C'}#{safe(call_id)}"


def drop(append_id: str, sequence: int) -> str:
    """Sort key of a drop in the log."""
    return f"{LOG}D#{safe(append_id)}#{sequence:08d}"


def review_change(number: int) -> str:
    """Sort key of a change that the review stages."""
    return f"{REVIEW_CHANGES}{number:04d}"


def chunk(owner: str, number: int) -> str:
    """Sort key of a piece of a long value of the item ``owner``."""
    return f"C#{owner}#{number:04d}"
