"""The demo's agent, its customers, and the forms in which its script is written."""

from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

AGENT_ID = "0190b5a4-7c1e-7000-8000-00000000de5c"
PRINCIPAL = "app:harbour-bank-chat"
HARNESS: dict[str, JsonValue] = {  # the desk saves by its tools; the branch, in a later scene, learns by the review
    "memory": {
        "enabled": True,
        "scope": {"read": ["session", "agent"], "write": ["session", "agent"]},
        "labels": {"customer_id": {"number": 5, "description": "The customer the memory is about."}},
        "tools": ["add_memory", "read_memory", "delete_memory"],
        "pinned": {"max_tokens": 50},
        "extraction": {"every": {"messages": 10_000}},
    }
}


@dataclass(frozen=True, slots=True)
class Customer:
    """Somebody the desk serves; each has a session of their own."""

    name: str
    customer_id: str

    @property
    def session_id(self) -> str:
        """The session's name."""
        return f"customer:{self.customer_id}"


MAYA = Customer("Maya", "C-1041")
DANIEL = Customer("Daniel", "C-2077")
XIAOYU = Customer("晓雨", "C-3390")
CUSTOMERS = (MAYA, DANIEL, XIAOYU)


@dataclass(frozen=True, slots=True)
class Tool:
    """A call of one of the bank's own tools, with its result."""

    name: str
    arguments: dict[str, JsonValue]
    output: JsonValue


@dataclass(frozen=True, slots=True)
class Save:
    """A call of ``add_memory``.

    Attributes:
        key: The fact's name in this script.
        replaces: Key of the fact that it corrects.
    """

    key: str
    summary: str
    kind: str = "fact"
    content: str | None = None
    scope: Literal["session", "agent"] | None = None
    replaces: str | None = None
    pinned: bool | None = None


@dataclass(frozen=True, slots=True)
class Look:
    """A call of ``search_memory``.

    Attributes:
        first: The fact that must be the first hit.
        by: What must have found it: ``words``, ``code``, or ``meaning`` without a shared word.
        promise: What that shows, in a sentence.
    """

    query: str
    first: str
    by: Literal["words", "code", "meaning"]
    promise: str


@dataclass(frozen=True, slots=True)
class Forget:
    """A call of ``delete_memory``."""

    key: str


Step = Tool | Save | Look | Forget


@dataclass(frozen=True, slots=True)
class Line:
    """One turn: a message, what the desk does, and its reply.

    Attributes:
        recalls: Facts that the recall before the reply must bring.
        never: Facts that it must not bring.
        why: Why what was recalled matters.
        promise: What ``recalls`` and ``never`` show, in a sentence.
    """

    who: Customer
    says: str
    reply: str
    steps: tuple[Step, ...] = ()
    recalls: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    why: str = ""
    promise: str = ""


@dataclass(frozen=True, slots=True)
class Scene:
    """Some turns with one thing to watch."""

    title: str
    watch: str
    lines: tuple[Line, ...]
