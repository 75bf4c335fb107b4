"""Deciding again when somebody else wrote first (DESIGN "Commit" step 5)."""

from collections.abc import Callable
from typing import TypeVar

from memoir.domain.errors import Unavailable
from memoir.ports import Clock, Raced

T = TypeVar("T")
MAX_TRIES = 60
"""Enough for the calls of one turn that run side by side: each round, one of them gets through."""


def until_settled(clock: Clock, decide: Callable[[], T]) -> T:
    """Run ``decide`` — read, check, write — until no other writer comes in between.

    Raises:
        Unavailable: It was overtaken ``MAX_TRIES`` times; nothing was written.
    """
    for tried in range(MAX_TRIES):
        try:
            return decide()
        except Raced:
            clock.pause(tried)
    raise Unavailable(f"the turn's items were busy for {MAX_TRIES} tries: call again with the same ids")
