"""Searching memory by query: ranked in the domain, whatever found the candidates (page "Agent memory"; SPEC §5)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memoir.domain.embedding import Vector
from memoir.domain.errors import EmbedderUnavailable
from memoir.domain.ranking import Candidate, Ranking, SearchMode, Statistics, rank
from memoir.domain.record import Record
from memoir.domain.tokens import Query
from memoir.domain.turn import Usage
from memoir.services.candidates import recent
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


def find(res: Resources, turn: Turn, text: str, filters: Filters, limit: int) -> Found:
    """Rank the records within the turn's reach.

    Args:
        res: The ports.
        turn: Who searches.
        text: Any text; it is data.
        filters: Exact conditions.
        limit: Most records to return.
    """
    settings = turn.harness.memory.search
    query = Query.of(text)
    embedded = _embed(res, text, settings.mode)
    pool = recent(res, turn)
    wanted = [record for record in pool.records if filters.keep(record)]
    ranking = rank(
        query,
        embedded.vector,
        [candidate(record, res.embedder.profile.model) for record in wanted],
        Statistics.of(query.terms, [record.tokens for record in pool.records]),
        mode=settings.mode,
        profile=res.embedder.profile,
        min_score=settings.min_score,
    )
    missing = ("index", "embedder") if embedded.failed else ("index",)
    return Found(
        records=in_order(ranking, {record.memory_id: record for record in wanted}, limit),
        ranking=ranking,
        lack=Lack(missing, len(pool.records)),
        behind=pool.behind,
        usage=embedded.usage,
    )


@dataclass(frozen=True, slots=True)
class _Embedded:
    vector: Vector | None = None
    usage: Usage | None = None
    failed: bool = False


def _embed(res: Resources, text: str, mode: SearchMode) -> _Embedded:
    if mode is SearchMode.LEXICAL or not text.strip():
        return _Embedded()
    try:
        embedding = embed_query(res.embedder, text)
    except EmbedderUnavailable:
        return _Embedded(failed=True)
    return _Embedded(embedding.vector, Usage("embed", res.embedder.profile.model, embedding.tokens))


def candidate(record: Record, model: str) -> Candidate:
    """The record as the ranking sees it; a vector of another model is none."""
    vector = record.vector.values if record.vector and record.vector.model == model else None
    return Candidate(record.memory_id, record.created, record.tokens, vector)


def in_order(ranking: Ranking, records: Mapping[str, Record], limit: int) -> tuple[Record, ...]:
    """The ranked records, best first."""
    best: Sequence[str] = [scored.id for scored in ranking.results[:limit]]
    return tuple(records[memory_id] for memory_id in best)
