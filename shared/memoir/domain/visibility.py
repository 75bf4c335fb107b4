"""Which records a turn may see and change: the one predicate behind every path (page "Agent memory"; SPEC §3).

A record out of reach is treated by every path exactly as an unknown id.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from memoir.domain.config import Harness, ScopeName
from memoir.domain.record import Record, Scope, Status
from memoir.domain.turn import Execution


@dataclass(frozen=True, slots=True)
class Reach:
    """The part of an agent's memory that a turn reads, or writes.

    Attributes:
        session_id: The turn's session; ``None`` for an agent without sessions.
        preview: Whether the turn is in preview mode; only then preview records are within reach.
        hidden: Records that a preview record names in ``replaces``; a live turn has none.
    """

    action_id: str
    session_id: str | None
    scopes: frozenset[ScopeName]
    preview: bool = False
    hidden: frozenset[str] = frozenset()

    @staticmethod
    def reading(harness: Harness, execution: Execution, hidden: Iterable[str] = ()) -> "Reach":
        """What the turn reads."""
        return _reach(harness.memory.reads, execution, hidden)

    @staticmethod
    def writing(harness: Harness, execution: Execution, hidden: Iterable[str] = ()) -> "Reach":
        """What the turn writes."""
        return _reach(harness.memory.writes, execution, hidden)

    @property
    def agent(self) -> bool:
        """Whether agent scope is within reach."""
        return ScopeName.AGENT in self.scopes

    @property
    def session(self) -> str | None:
        """The session whose records are within reach, or ``None``."""
        return self.session_id if ScopeName.SESSION in self.scopes else None

    def holds(self, record: Record) -> bool:
        """Whether a record of any status is within reach."""
        if record.action_id != self.action_id or record.memory_id in self.hidden:
            return False
        if record.preview and not self.preview:
            return False
        if record.scope is Scope.AGENT:
            return self.agent
        return self.session is not None and record.session_id == self.session

    def finds(self, record: Record) -> bool:
        """Whether recall, search, list and ids may return it."""
        return record.active and self.holds(record)


def in_actions_list(record: Record) -> bool:
    """Whether ``Action.memories`` lists a record: ACTIVE ones of both modes, and preview deletions (page; SPEC §9)."""
    deletion = record.preview and record.replaces is not None and record.version == 1
    return record.active or (deletion and record.status is Status.DELETED)


def _reach(scopes: frozenset[ScopeName], execution: Execution, hidden: Iterable[str]) -> Reach:
    return Reach(execution.action_id, execution.session_id, scopes, execution.preview, frozenset(hidden))
