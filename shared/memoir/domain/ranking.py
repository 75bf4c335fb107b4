"""The one ranking of records, wherever a candidate was found (SPEC §5; RANKING "The function" without context).

``s = weight · meaning + (1 - weight) · words``, both scaled to 0…1 by the best candidate of the pool and from a fixed
floor, so that what else lies in the pool changes nothing of the order; a code of the query found in a text adds 1.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from memoir.domain.embedding import EmbedderProfile, Vector
from memoir.domain.tokens import Query, TokenText
from memoir.domain.vectors import dot

K1 = 1.2
B = 0.75
USUAL_LENGTH = 40
"""A constant in place of the corpus's average length, which costs quality on long texts."""
CODE_BONUS = 1.0
TIE_DIGITS = 2
"""Scores that are equal after rounding to these decimals are a tie, which the newer record wins."""

FoundBy = Literal["words", "meaning", "code"]


class SearchMode(StrEnum):
    """What finds a record: both, words alone, or meaning alone."""

    HYBRID = "hybrid"
    LEXICAL = "lexical"
    VECTOR = "vector"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A record as the ranking sees it; ``created`` is empty while its turn is not committed."""

    id: str
    created: str
    tokens: TokenText
    vector: Vector | None


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts over what one search may see.

    Attributes:
        documents: Texts.
        frequencies: Texts that hold a term, for the query's terms.
    """

    documents: int
    frequencies: Mapping[str, int]

    @staticmethod
    def of(terms: Iterable[str], texts: Iterable[TokenText]) -> "Statistics":
        """Count the terms in texts."""
        known = list(texts)
        return Statistics(len(known), {term: sum(term in text.counts for text in known) for term in terms})

    def __add__(self, other: "Statistics") -> "Statistics":
        """Counts over both, of texts that are in one only."""
        terms = {*self.frequencies, *other.frequencies}
        sums = {term: self.frequencies.get(term, 0) + other.frequencies.get(term, 0) for term in terms}
        return Statistics(self.documents + other.documents, sums)

    def idf(self, term: str) -> float:
        """How much a term tells."""
        df = self.frequencies.get(term, 0)
        return math.log(1 + (self.documents - df + 0.5) / (df + 0.5))


@dataclass(frozen=True, slots=True)
class Scored:
    """A ranked record.

    Attributes:
        score: Fused score, about 0…2.
        words: Keyword score, not scaled.
        similarity: Cosine with the query, where both have vectors.
    """

    id: str
    created: str
    score: float
    words: float
    similarity: float | None
    found_by: tuple[FoundBy, ...]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Records best first, and why candidates are not among them: ``(id, reason)``."""

    results: tuple[Scored, ...]
    dropped: tuple[tuple[str, str], ...]


def rank(
    query: Query,
    query_vector: Vector | None,
    candidates: Sequence[Candidate],
    statistics: Statistics,
    *,
    mode: SearchMode,
    profile: EmbedderProfile,
    min_score: float | None = None,
) -> Ranking:
    """Rank candidates.

    Args:
        query: The query's tokens.
        query_vector: ``None``: words alone, whatever the mode.
        candidates: In any order.
        statistics: Over all that this search may see.
        mode: What may find a record.
        profile: Settings of the embedder that made the vectors.
        min_score: Least similarity of a record found by meaning alone; ``None``: the embedder's own.
    """
    least = profile.min_score if min_score is None else min_score
    weights = {term: statistics.idf(term) for term in query.shortlist(statistics.frequencies)}
    by_words = mode is not SearchMode.VECTOR or query_vector is None
    by_meaning = query_vector if mode is not SearchMode.LEXICAL else None
    rows = [
        _Row(
            one,
            _words(weights, one.tokens) if by_words else 0.0,
            dot(by_meaning, one.vector) if by_meaning is not None and one.vector is not None else None,
            by_words and any(code in one.tokens.counts for code in query.codes),
        )
        for one in candidates
    ]
    fuse = _Fusion.over(rows, query, profile, words=by_words, meaning=by_meaning is not None)
    found, dropped = [], []
    for row in rows:
        if row.words > 0 or (row.similarity is not None and row.similarity >= least):
            found.append(fuse.score(row, least))
        else:
            dropped.append((row.candidate.id, _why(row, least)))
    found.sort(key=_order, reverse=True)
    return Ranking(tuple(found), tuple(dropped))


@dataclass(frozen=True, slots=True)
class _Row:
    candidate: Candidate
    words: float
    similarity: float | None
    code: bool


@dataclass(frozen=True, slots=True)
class _Fusion:
    weight: float
    floor: float
    best_words: float
    best_meaning: float

    @staticmethod
    def over(rows: Sequence[_Row], query: Query, profile: EmbedderProfile, *, words: bool, meaning: bool) -> "_Fusion":
        weight = profile.weight if query.latin else profile.weight_other_script
        if not words or not meaning:
            weight = 0.0 if words else 1.0
        similar = [row.similarity for row in rows if row.similarity is not None]
        return _Fusion(
            weight,
            profile.floor,
            max((row.words for row in rows), default=0.0),
            max(similar, default=profile.floor) - profile.floor,
        )

    def score(self, row: _Row, least: float) -> Scored:
        words = row.words / self.best_words if self.best_words > 0 else 0.0
        above = max(0.0, row.similarity - self.floor) if row.similarity is not None else 0.0
        meaning = above / self.best_meaning if self.best_meaning > 0 else 0.0
        fused = (1 - self.weight) * words + self.weight * meaning + (CODE_BONUS if row.code else 0.0)
        found_by: list[FoundBy] = ["words"] if row.words > 0 else []
        if row.similarity is not None and row.similarity >= least:
            found_by.append("meaning")
        if row.code:
            found_by.append("code")
        one = row.candidate
        return Scored(one.id, one.created, fused, row.words, row.similarity, tuple(found_by))


def _words(weights: Mapping[str, float], text: TokenText) -> float:
    share = K1 * (1 - B + B * text.length / USUAL_LENGTH)
    total = 0.0
    for term, idf in weights.items():
        if tf := text.counts.get(term, 0):
            total += idf * tf * (K1 + 1) / (tf + share)
    return total


def _order(scored: Scored) -> tuple[float, str, str]:
    # NOTE: a record that its turn has only staged has no time yet and is newer than every committed one.
    return round(scored.score, TIE_DIGITS), scored.created or "~", scored.id


def _why(row: _Row, least: float) -> str:
    if row.similarity is None:
        return "shares no word with the query and has no vector to compare"
    return f"shares no word with the query and its similarity {row.similarity:.3f} is below {least:g}"
