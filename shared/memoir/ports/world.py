"""Time, randomness and side-by-side reads, as services need them."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

A = TypeVar("A")
B = TypeVar("B")


class Clock(Protocol):
    """Time, for services; the domain is handed its values."""

    def now(self) -> str:
        """Now as RFC 3339 UTC with milliseconds and ``Z``."""
        ...

    def pause(self, tried: int) -> None:
        """Wait before try number ``tried`` + 1: longer each time, with jitter."""
        ...


class NewId(Protocol):
    """Fresh random names."""

    def uuid7(self) -> str:
        """A new UUIDv7, canonical lower case."""
        ...

    def nonce(self) -> str:
        """A random text of 16 characters that nobody can guess."""
        ...


class Gather(Protocol):
    """Runs independent reads side by side, so that they cost one round trip."""

    def gather(self, first: Callable[[], A], second: Callable[[], B]) -> tuple[A, B]:
        """Both results; the first error of any is raised when all have ended."""
        ...

    def each(self, calls: Sequence[Callable[[], A]]) -> list[A]:
        """All results, in order."""
        ...
