"""One search and its one ranking, whatever finds the candidates (SPEC §5)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memoir.domain.embedding import Vector
from memoir.domain.errors import EmbedderUnavailable
from memoir.domain.ranking import Candidate, Ranking, SearchMode, Statistics, rank
from memoir.domain.record import Record
from memoir.domain.tokens import Query
from memoir.domain.turn import Usage
from memoir.services.embedding import embed_query
from memoir.services.resources import Resources
from memoir.services.turns import Turn


@dataclass(frozen=True, slots=True)
class Filters:
    """Exact conditions; several labels are all needed.

    Attributes:
        labels: ``(number, value)``.
    """

    kind: str | None = None
    labels: tuple[tuple[int, str], ...] = ()

    def keep(self, record: Record) -> bool:
        """Whether the record fulfils them."""
        if self.kind is not None and record.kind != self.kind:
            return False
        return set(self.labels) <= set(record.labels)


@dataclass(frozen=True, slots=True)
class Embedded:
    """A query's vector, if its mode wants one and the embedder answered."""

    vector: Vector | None = None
    usage: Usage | None = None
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Wanted:
    """One search: the text with its tokens and vector, the conditions, and how many records."""

    text: str
    query: Query
    filters: Filters
    limit: int


@dataclass(frozen=True, slots=True)
class Lack:
    """What was missing while searching, and how many records were ranked without it."""

    missing: tuple[str, ...]
    searched: int


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found, best first."""

    records: tuple[Record, ...]
    ranking: Ranking | None = None
    lack: Lack | None = None
    behind: bool = False
    usage: Usage | None = None


def embed(res: Resources, turn: Turn, text: str) -> Embedded:
    """Embed a query, once; an embedder that is down leaves words alone."""
    if turn.harness.memory.search.mode is SearchMode.LEXICAL:
        return Embedded()
    try:
        made = embed_query(res.embedder, text)
    except EmbedderUnavailable:
        return Embedded(missing=("embedder",))
    return Embedded(made.vector, Usage("embed", res.embedder.profile.model, made.tokens))


def ranked(
    res: Resources,
    turn: Turn,
    query: Query,
    embedded: Embedded,
    candidates: Sequence[Candidate],
    statistics: Statistics,
) -> Ranking:
    """Rank candidates by the agent's settings."""
    settings = turn.harness.memory.search
    return rank(
        query,
        embedded.vector,
        candidates,
        statistics,
        mode=settings.mode,
        profile=res.embedder.profile,
        min_score=settings.min_score,
    )


def candidate(record: Record, model: str) -> Candidate:
    """The record as the ranking sees it; a vector of another model is none."""
    vector = record.vector.values if record.vector and record.vector.model == model else None
    return Candidate(record.memory_id, record.created, record.tokens, vector)


def in_order(ranking: Ranking, records: Mapping[str, Record], limit: int) -> tuple[Record, ...]:
    """The ranked records, best first."""
    return tuple(records[scored.id] for scored in ranking.results[:limit])
