"""A circuit around the index: while it is away, a search does not wait for it (SPEC §4)."""

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from memoir.domain.errors import IndexUnavailable
from memoir.domain.record import Record
from memoir.ports import IndexAnswer, IndexQuery, IndexState, SearchIndex

T = TypeVar("T")


class Circuit:
    """``SearchIndex`` that remembers a failure for a while.

    Args:
        index: The index itself.
        open_seconds: After a failure, how long searches go on without it before one tries it again.
        clock: Seconds that only grow.
    """

    def __init__(self, index: SearchIndex, open_seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._index = index
        self._open_seconds = open_seconds
        self._clock = clock
        self._away_until = float("-inf")

    def search(self, query: IndexQuery) -> IndexAnswer:
        """Ask the index, unless it failed a moment ago."""
        if self._clock() < self._away_until:
            raise IndexUnavailable("OpenSearch failed a moment ago")
        return self._noted(lambda: self._index.search(query))

    def write(self, records: Sequence[Record]) -> None:
        """Write, whatever happened before: the writer's own retries pace it."""
        self._noted(lambda: self._index.write(records))

    def ensure(self) -> None:
        """Create the index if it is not there."""
        self._noted(self._index.ensure)

    def describe(self) -> IndexState:
        """Its name and size."""
        return self._noted(self._index.describe)

    def _noted(self, call: Callable[[], T]) -> T:
        try:
            answer = call()
        except IndexUnavailable:
            self._away_until = self._clock() + self._open_seconds
            raise
        self._away_until = float("-inf")
        return answer
