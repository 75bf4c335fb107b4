"""The demo's screen: 80 columns, whole lines, and a verdict that counts each promise once."""

import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from infra.local.demo_meter import Measured
from infra.local.demo_screen import Row, Screen

LONG = "a summary that is much longer than what is left of eighty columns beside all the other cells, to be sure"
CHINESE = "陈晓雨的账单从2027年1月起寄到爱丁堡王子街88号，电话请在下午三点以后打，而且请用中文跟她说话，谢谢大家的帮助"


def printed(screen_text: io.StringIO) -> list[str]:
    return screen_text.getvalue().splitlines()


@pytest.fixture
def paper() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def screen(paper: io.StringIO) -> Screen:
    return Screen(Console(file=paper, width=80, highlight=False, emoji=False))


def test_everything_fits_eighty_columns_and_needs_no_colour(screen: Screen, paper: io.StringIO) -> None:
    screen.scene(LONG, CHINESE)
    screen.said("晓雨", CHINESE)
    screen.line("tool", LONG, "dim", short=True)
    screen.recalled([LONG, CHINESE], 5)
    screen.promise(LONG, None)
    screen.records(
        [Row(12, "Daniel", "SESSION", "SUPERSEDED", "14", LONG), Row(3, "晓雨", "AGENT", "ACTIVE", "", CHINESE)]
    )
    screen.requests([Measured("registerAgent", 12345, 123.4, 99999.9)])
    screen.plain(LONG)
    assert max(cell_len(line) for line in printed(paper)) <= 80
    assert "\x1b" not in paper.getvalue()


def test_text_that_looks_like_markup_is_printed_as_it_is(screen: Screen, paper: io.StringIO) -> None:
    screen.said("Maya", "[bold]see[/bold] :smile: [1]")
    assert "[bold]see[/bold] :smile: [1]" in paper.getvalue()


def test_long_texts_are_wrapped_and_short_ones_end_with_dots(screen: Screen, paper: io.StringIO) -> None:
    screen.line("desk", LONG)
    screen.line("tool", LONG, short=True)
    *wrapped, cut = printed(paper)
    assert " ".join(" ".join(wrapped).split()) == f"desk {LONG}"
    assert cut.endswith("…")


def test_verdict_counts_each_promise_once_and_names_what_does_not_hold(screen: Screen, paper: io.StringIO) -> None:
    screen.promises.check("nothing leaks", None)
    screen.promises.check("nothing leaks", "it leaked")
    screen.promise("it holds", None)
    screen.promise("it holds", None)
    screen.verdict("nothing leaks")
    assert "✗  nothing leaks (looked at 2 times): it leaked" in paper.getvalue()
    assert "1 of 2 promises do not hold:" in paper.getvalue()


def test_verdict_says_when_all_hold(screen: Screen, paper: io.StringIO) -> None:
    screen.promise("it holds", None)
    screen.promises.check("nothing leaks", None)
    screen.verdict("nothing leaks")
    assert "All 2 promises hold." in paper.getvalue()
    assert screen.promises.broken == {}
