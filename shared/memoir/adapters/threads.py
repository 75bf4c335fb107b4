"""Reads side by side, on threads that are made at the first need."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TypeVar

A = TypeVar("A")
B = TypeVar("B")
WORKERS = 32


class Threads:
    """``Gather`` over a pool of threads; the caller's own thread does the last piece of work."""

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(WORKERS, thread_name_prefix="memoir")

    def gather(self, first: Callable[[], A], second: Callable[[], B]) -> tuple[A, B]:
        """Both results; the first error is raised when both have ended."""
        future = self._pool.submit(first)
        try:
            other = second()
        finally:
            future.exception()
        return future.result(), other

    def each(self, calls: Sequence[Callable[[], A]]) -> list[A]:
        """All results, in order; the first error is raised when all have ended."""
        if not calls:
            return []
        futures = [self._pool.submit(call) for call in calls[:-1]]
        try:
            last = calls[-1]()
        finally:
            for future in futures:
                future.exception()
        return [*(future.result() for future in futures), last]
