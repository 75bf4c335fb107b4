"""Where agents and their immutable versions are kept (SPEC §2)."""

from dataclasses import dataclass
from typing import Protocol

from memoir.domain.config import AgentHead, AgentVersion


@dataclass(frozen=True, slots=True)
class Registration:
    """A ``registerAgent`` request that named itself."""

    request_id: str
    fingerprint: str
    version: int


class AgentStore(Protocol):
    """Agents and their immutable versions (SPEC §2)."""

    def head(self, action_id: str) -> AgentHead | None:
        """The agent's head, or ``None`` when it was never registered."""
        ...

    def version(self, action_id: str, number: int) -> AgentVersion | None:
        """One version; immutable, so it may be cached."""
        ...

    def registration(self, action_id: str, request_id: str) -> tuple[str, int] | None:
        """Fingerprint and version of an earlier registration under this request id."""
        ...

    def register(
        self, version: AgentVersion | None, head: AgentHead, expected: AgentHead | None, request: Registration | None
    ) -> None:
        """Store a version (``None``: the latest stays) with its head and its request id, all or nothing.

        Args:
            version: Its number is ``head.latest``.
            head: The new head.
            expected: The head that was read; ``None`` when there was none.
            request: To answer the same request again.

        Raises:
            Raced: The head is not ``expected`` any more, or the request id is taken.
        """
        ...
