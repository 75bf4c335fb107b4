"""The index that finds candidates; it never decides (SPEC §4, §5)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from memoir.domain.embedding import Vector
from memoir.domain.ranking import Candidate, Statistics
from memoir.domain.record import Record


@dataclass(frozen=True, slots=True)
class IndexQuery:
    """What one search asks of the index.

    Attributes:
        session: Whose session records it may see; ``None``: none.
        agent: Whether it may see agent scope.
        preview: Whether it may see preview records.
        kind: Exact kind of the candidates.
        labels: ``(number, value)`` that the candidates all have.
        excluded: Records that are known better from elsewhere; they count nowhere.
        terms: Tokens for the words arm; empty: no words arm.
        vector: For the meaning arm; ``None``: no meaning arm.
        size: Candidates of each arm.
    """

    action_id: str
    session: str | None
    agent: bool
    kind: str | None
    labels: tuple[tuple[int, str], ...]
    excluded: tuple[str, ...]
    terms: tuple[str, ...]
    vector: Vector | None
    size: int
    preview: bool = False


@dataclass(frozen=True, slots=True)
class IndexAnswer:
    """Candidates of both arms, each once, and counts over all that the search may see in the index."""

    candidates: tuple[Candidate, ...]
    statistics: Statistics


@dataclass(frozen=True, slots=True)
class IndexState:
    """What the index says of itself."""

    name: str
    exists: bool
    documents: int


class SearchIndex(Protocol):
    """Finds candidates by words and by meaning.

    Every method raises ``IndexUnavailable`` when the index does not answer as it should.
    """

    def search(self, query: IndexQuery) -> IndexAnswer:
        """Candidates and counts, in one request."""
        ...

    def write(self, records: Sequence[Record]) -> None:
        """Write records in their current state and wait until searches see them; older states lose, whatever the order.

        A record that is ACTIVE no more leaves a tombstone without text or vector.
        """
        ...

    def ensure(self) -> None:
        """Create the index if it is not there."""
        ...

    def describe(self) -> IndexState:
        """Its name and size."""
        ...


@dataclass(frozen=True, slots=True)
class OutboxKey:
    """Where a commit's outbox item lies."""

    pk: str
    sk: str


@dataclass(frozen=True, slots=True)
class Outbox:
    """A commit that the index may not know yet."""

    key: OutboxKey
    action_id: str
    memory_ids: tuple[str, ...]


class OutboxStore(Protocol):
    """The queue between tables and index."""

    def read(self, keys: Sequence[OutboxKey]) -> list[Outbox]:
        """Those that are still there."""
        ...

    def done(self, key: OutboxKey) -> None:
        """The index knows this commit; safe to repeat."""
        ...

    def overdue(self, before: str, limit: int) -> list[OutboxKey]:
        """Items of commits before a time, oldest first in each shard, at most ``limit``; eventually consistent."""
        ...
