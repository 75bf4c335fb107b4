"""Tokens of texts and of queries: what words mean to a search, in index, overlay and table alike (SPEC §5)."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from memoir.domain.segments import tokens
from memoir.domain.stopwords import STOP_WORDS

TOKENIZER_VERSION = 1
"""Raised when the same text gives other tokens; stored tokens of another version are made again."""
MAX_TERMS = 64
"""Query terms that are scored."""
_COUNT = "^"


@dataclass(frozen=True, slots=True)
class TokenText:
    """The tokens of one text.

    Attributes:
        counts: How often each token stands in it.
        length: Tokens that are no stop words.
    """

    counts: Mapping[str, int]
    length: int

    @staticmethod
    def of(*texts: str) -> "TokenText":
        """Tokens of texts that are found together, as a summary and its content."""
        counts: Counter[str] = Counter()
        length = 0
        for text in texts:
            for token in tokens(text):
                counts[token.text] += 1
                length += token.asked and token.surface not in STOP_WORDS
        return TokenText(counts, length)

    def encode(self) -> str:
        """A compact string to store beside the text."""
        words = (token if count == 1 else f"{token}{_COUNT}{count}" for token, count in self.counts.items())
        return " ".join([f"{TOKENIZER_VERSION}:{self.length}", *words])

    @staticmethod
    def decode(stored: str) -> "TokenText | None":
        """Read what ``encode`` wrote; ``None`` when another tokenizer wrote it."""
        head, *words = stored.split(" ")
        version, _, length = head.partition(":")
        if version != str(TOKENIZER_VERSION):
            return None
        counts: dict[str, int] = {}
        for word in words:
            token, _, count = word.partition(_COUNT)
            counts[token] = int(count) if count else 1
        return TokenText(counts, int(length))

    def terms(self) -> str:
        """Every token as often as it stands in the text, for a field with the ``whitespace`` analyzer."""
        return " ".join(token for token, count in self.counts.items() for _ in range(count))


@dataclass(frozen=True, slots=True)
class Query:
    """The tokens of a query.

    Attributes:
        terms: Distinct, without stop words unless nothing else is left; empty: no word matches.
        codes: Those that name one thing exactly.
        latin: Whether its letters are mostly Latin.
    """

    terms: tuple[str, ...]
    codes: frozenset[str]
    latin: bool

    @staticmethod
    def of(text: str) -> "Query":
        """Tokens of any text."""
        asked = [token for token in tokens(text) if token.asked]
        kept = [token for token in asked if token.surface not in STOP_WORDS] or asked
        terms = tuple(dict.fromkeys(token.text for token in kept))
        codes = frozenset(token.text for token in kept if token.code)
        letters = [c for c in text[:2000] if c.isalpha()]
        latin = sum(c < "\u0250" for c in letters) * 2 >= len(letters)
        return Query(terms, codes, latin)

    def shortlist(self, frequencies: Mapping[str, int]) -> tuple[str, ...]:
        """At most ``MAX_TERMS`` terms: codes first, then the rarest by document frequency."""
        if len(self.terms) <= MAX_TERMS:
            return self.terms
        order = {term: place for place, term in enumerate(self.terms)}
        ranked = sorted(self.terms, key=lambda t: (t not in self.codes, frequencies.get(t, 0) or 10**9, order[t]))
        return tuple(ranked[:MAX_TERMS])
