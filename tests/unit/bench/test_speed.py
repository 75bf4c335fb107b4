"""The speed bench's table and page (its whole run is ``tests/integration/test_speed_bench.py``)."""

import argparse
import io

from rich.console import Console

from tests.bench.speed.page import page
from tests.bench.speed.run import Line, table

LINES = [
    Line(size, operation, stage, p50=10.0 * place, p95=20.0 * place, mean=12.0 * place, requests=6)
    for place, size in enumerate((1_000, 100_000), 1)
    for operation in ("search", "commit")
    for stage in ("wall", "handler CPU")
]


def shown(before: list[Line]) -> str:
    console = Console(file=io.StringIO(), width=120)
    console.print(table(LINES, before))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_last_run_stands_beside_this_one() -> None:
    assert "7.25" not in shown([])
    assert "7.25" in shown([Line(1_000, "search", "wall", p50=7.25, p95=9, mean=8, requests=6)])


def test_the_page_tells_how_much_a_search_grows() -> None:
    text = page(LINES, argparse.Namespace(queries=200, commits=40, embedder="minilm"))
    assert "**2.00 times**" in text
    assert "| handler CPU | 10.0 / 20.0 | 20.0 / 40.0 |" in text
    assert "200 searches" in text
