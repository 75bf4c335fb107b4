"""Ways to rank a group's texts for a question: memoir's, and those it is measured against."""

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import Stemmer

from memoir.domain.embedding import EmbedderProfile, Vector
from memoir.domain.ranking import Candidate, SearchMode, Statistics, rank
from memoir.domain.tokens import Query, TokenText
from tests.bench.quality.metrics import DEPTH
from tests.bench.quality.sets import Group

K1, B = 1.2, 0.75
RRF = 60
ARM = 100
"""Candidates of each arm of the index."""
_WORD = re.compile(r"\w+")

Scores = Any
"""One number a text, as a numpy array."""


@dataclass
class Prepared:
    """A group with all that ranking it needs."""

    group: Group
    profile: EmbedderProfile
    vectors: Sequence[Vector]

    @cached_property
    def ids(self) -> list[str]:
        """Ids in the order of the texts."""
        return list(self.group.texts)

    @cached_property
    def candidates(self) -> list[Candidate]:
        """The texts as records; later ones are newer."""
        return [
            Candidate(name, f"{place:08}", TokenText.of(text), vector)
            for place, ((name, text), vector) in enumerate(zip(self.group.texts.items(), self.vectors, strict=True))
        ]

    @cached_property
    def matrix(self) -> Any:
        """The vectors as one matrix."""
        return np.array(self.vectors)

    @cached_property
    def plain(self) -> "Bm25":
        """Plain BM25 over the texts."""
        return Bm25(list(self.group.texts.values()))

    def statistics(self, query: Query) -> Statistics:
        """Counts over all texts."""
        return Statistics.of(query.terms, [one.tokens for one in self.candidates])


class Bm25:
    """BM25 as textbooks have it: Snowball's English stems of words, the collection's average length, no stop list."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._stemmer = Stemmer.Stemmer("english")
        self._counts = [Counter(self._terms(text)) for text in texts]
        self._lengths = np.array([sum(counts.values()) for counts in self._counts], dtype=float)
        self._frequencies = Counter(term for counts in self._counts for term in counts)

    def _terms(self, text: str) -> list[str]:
        return list(self._stemmer.stemWords(_WORD.findall(text.lower())))

    def scores(self, query: str) -> Scores:
        """One score a text."""
        total = np.zeros(len(self._counts))
        norm = K1 * (1 - B + B * self._lengths / self._lengths.mean())
        for term in set(self._terms(query)):
            df = self._frequencies[term]
            idf = math.log(1 + (len(self._counts) - df + 0.5) / (df + 0.5))
            tf = np.array([counts[term] for counts in self._counts], dtype=float)
            total += idf * tf * (K1 + 1) / (tf + norm)
        return total


Asked = tuple[str, Vector]
Method = Callable[[Prepared, Asked], list[str]]


def _best(prepared: Prepared, scores: Scores) -> list[str]:
    order = np.argsort(-scores, kind="stable")[:DEPTH]
    return [prepared.ids[place] for place in order if scores[place] > -math.inf]


def _cosines(prepared: Prepared, asked: Asked) -> Scores:
    return prepared.matrix @ np.array(asked[1])


def bm25(prepared: Prepared, asked: Asked) -> list[str]:
    """Plain stemmed BM25."""
    return _best(prepared, prepared.plain.scores(asked[0]))


def vector(prepared: Prepared, asked: Asked) -> list[str]:
    """Cosine alone."""
    return _best(prepared, _cosines(prepared, asked))


def rrf(prepared: Prepared, asked: Asked) -> list[str]:
    """Reciprocal rank fusion of plain BM25 and cosine."""
    total = np.zeros(len(prepared.ids))
    for scores in (prepared.plain.scores(asked[0]), _cosines(prepared, asked)):
        ranks = np.empty(len(scores))
        ranks[np.argsort(-scores, kind="stable")] = np.arange(1, len(scores) + 1)
        total += 1 / (RRF + ranks)
    return _best(prepared, total)


def min_max(prepared: Prepared, asked: Asked) -> list[str]:
    """Half and half of plain BM25 and cosine, each scaled from its least to its most."""
    return _best(prepared, sum(_scaled(one) for one in (prepared.plain.scores(asked[0]), _cosines(prepared, asked))))


def _scaled(scores: Scores) -> Scores:
    spread = scores.max() - scores.min()
    return (scores - scores.min()) / spread if spread else np.zeros(len(scores))


def _memoir(prepared: Prepared, asked: Asked, candidates: Sequence[Candidate], mode: SearchMode) -> list[str]:
    query = Query.of(asked[0])
    ranking = rank(query, asked[1], candidates, prepared.statistics(query), mode=mode, profile=prepared.profile)
    return [one.id for one in ranking.results[:DEPTH]]


def memoir(prepared: Prepared, asked: Asked) -> list[str]:
    """memoir's function over every text."""
    return _memoir(prepared, asked, prepared.candidates, SearchMode.HYBRID)


def memoir_words(prepared: Prepared, asked: Asked) -> list[str]:
    """memoir's words arm: mode ``lexical``."""
    return _memoir(prepared, asked, prepared.candidates, SearchMode.LEXICAL)


def memoir_from_arms(prepared: Prepared, asked: Asked) -> list[str]:
    """memoir's function over the best hundred by its words and the best hundred by cosine."""
    query = Query.of(asked[0])
    profile = prepared.profile or EmbedderProfile("none", 0, 0.0, 0.0, 1)
    words = rank(query, None, prepared.candidates, prepared.statistics(query), mode=SearchMode.LEXICAL, profile=profile)
    places = np.argsort(-_cosines(prepared, asked), kind="stable")[:ARM]
    names = {one.id for one in words.results[:ARM]} | {prepared.ids[place] for place in places}
    return _memoir(prepared, asked, [one for one in prepared.candidates if one.id in names], SearchMode.HYBRID)


METHODS: dict[str, Method] = {
    "BM25": bm25,
    "vector": vector,
    "RRF": rrf,
    "min-max": min_max,
    "memoir": memoir,
    "memoir, words": memoir_words,
    "memoir, 100 + 100": memoir_from_arms,
}
