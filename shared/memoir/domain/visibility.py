"""Which records a turn may see and change: the one predicate behind every path (page "Agent memory"; SPEC §3).

A record out of reach is treated by every path exactly as an unknown id.
"""

from dataclasses import dataclass

from memoir.domain.config import Harness, ScopeName
from memoir.domain.record import Record, Scope


@dataclass(frozen=True, slots=True)
class Reach:
    """The part of an agent's memory that a turn reads, or writes.

    Attributes:
        session_id: The turn's session; ``None`` for an agent without sessions.
    """

    action_id: str
    session_id: str | None
    scopes: frozenset[ScopeName]

    @staticmethod
    def reading(harness: Harness, action_id: str, session_id: str | None) -> "Reach":
        """What the turn reads."""
        return Reach(action_id, session_id, harness.memory.reads)

    @staticmethod
    def writing(harness: Harness, action_id: str, session_id: str | None) -> "Reach":
        """What the turn writes."""
        return Reach(action_id, session_id, harness.memory.writes)

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
        if record.action_id != self.action_id or record.preview:
            return False
        if record.scope is Scope.AGENT:
            return self.agent
        return self.session is not None and record.session_id == self.session

    def finds(self, record: Record) -> bool:
        """Whether recall, search, list and ids may return it."""
        return record.active and self.holds(record)
