"""The function's own ports with a clock at each stage, so that the bench measures the handler as it is."""

import resource
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from unittest import mock

from functions.agent_runtime import handler as function
from memoir.domain.ranking import rank
from memoir.services import ranked
from memoir.services.resources import Resources
from memoir.wiring import dynamodb, resources

STAGES = ("embed", "query", "check", "score")


@dataclass
class Measured:
    """What one call took: wall and CPU seconds of the whole, wall seconds by stage, and requests."""

    wall: float = 0.0
    cpu: float = 0.0
    stages: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    requests: int = 0


class Clock:
    """Adds up what runs inside a call; stages that run side by side each count in full."""

    def __init__(self) -> None:
        self.current = Measured()

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a stage."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.current.stages[name] += time.perf_counter() - started

    def measure(self, call: Callable[[], Any]) -> Measured:
        """Time a call."""
        measured = self.current = Measured()
        cpu, wall = _cpu(), time.perf_counter()
        call()
        measured.wall, measured.cpu = time.perf_counter() - wall, _cpu() - cpu
        self.current = Measured()
        return measured


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


@dataclass(frozen=True)
class _Through:
    """A port whose named method is timed."""

    port: Any
    clock: Clock
    method: str
    name: str

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.port, name)
        if name != self.method:
            return found

        def timed(*arguments: Any, **named: Any) -> Any:
            with self.clock.stage(self.name):
                return found(*arguments, **named)

        return timed


@contextmanager
def timed_function(clock: Clock) -> Iterator[Resources]:
    """The ``agent_runtime`` handler of this process, with the clock at its stages."""
    known = resources()
    index = known.index and _Through(known.index, clock, "search", "query")
    timed = replace(
        known,
        embedder=_Through(known.embedder, clock, "embed_query", "embed"),
        records=_Through(known.records, clock, "get", "check"),
        index=index,
    )
    plain = rank

    def scored(*arguments: Any, **named: Any) -> Any:
        with clock.stage("score"):
            return plain(*arguments, **named)

    def counted(**_: Any) -> None:
        clock.current.requests += 1

    events = dynamodb().meta.events
    events.register("before-send.dynamodb", counted)
    with mock.patch.object(function, "resources", return_value=timed), mock.patch.object(ranked, "rank", scored):
        yield known
    events.unregister("before-send.dynamodb", counted)
