"""What the demo puts on the screen: readable on 80 columns, and without colour where there is no terminal."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rich.cells import set_cell_size
from rich.console import Console
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from infra.local.demo_meter import Measured

LABEL = 11
"""Columns of the label before each text."""
WIDEST = 100


@dataclass(frozen=True, slots=True)
class Row:
    """A record in the closing table; ``replaced_by`` is a row's number."""

    number: int
    session: str
    scope: str
    status: str
    replaced_by: str
    summary: str


@dataclass(slots=True)
class Promises:
    """What SPEC.md promises and this demo checked: the reasons of those that did not hold."""

    checks: dict[str, int] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)

    def check(self, promise: str, reason: str | None) -> None:
        """Note whether a promise held; ``reason`` says why not."""
        self.checks[promise] = self.checks.get(promise, 0) + 1
        if reason is not None:
            self.broken.setdefault(promise, reason)


class Screen:
    """Prints the demo.

    Args:
        console: Where to.
    """

    def __init__(self, console: Console) -> None:
        console.width = min(console.width, WIDEST)
        self._console = console
        self.promises = Promises()

    def plain(self, text: str = "", style: str = "") -> None:
        """Print a paragraph."""
        for part in Text(text, style=style).wrap(self._console, self._console.width):
            part.rstrip()
            self._console.print(part)

    def scene(self, title: str, watch: str) -> None:
        """Open a scene with the one thing to watch in it."""
        self.heading(title)
        self.line("watch", watch, "italic cyan")

    def line(self, label: str, text: str, style: str = "", *, short: bool = False) -> None:
        """Print a text beside its label; ``short`` keeps it to one line."""
        room = self._console.width - LABEL
        body = Text(text, style=style)
        if short:
            body.truncate(room, overflow="ellipsis")
        for position, part in enumerate([body] if short else body.wrap(self._console, room)):
            part.rstrip()
            head = set_cell_size("" if position else label, LABEL)
            self._console.print(Text.assemble((head, "dim"), part), no_wrap=True, crop=False)

    def said(self, who: str, text: str) -> None:
        """Print what somebody said."""
        self._console.print()
        self.line(who, text, "bold")

    def recalled(self, summaries: Sequence[str], total: int) -> None:
        """Print some records of a recall that brought ``total``."""
        for position, summary in enumerate(summaries or ["nothing"]):
            label = "" if position else f"recalls {total}" if total else "recalls"
            self.line(label, summary, "yellow" if summaries else "dim", short=True)

    def promise(self, promise: str, reason: str | None) -> None:
        """Check a promise and show whether it held; ``reason`` says why not."""
        self.promises.check(promise, reason)
        self._mark(promise, reason)

    def verdict(self, quiet: str) -> None:
        """Say how many promises held; ``quiet`` is one that was checked all along without a line of its own."""
        promises = self.promises
        self._console.print()
        self._mark(f"{quiet} (looked at {promises.checks.get(quiet, 0)} times)", promises.broken.get(quiet))
        total = len(promises.checks)
        if promises.broken:
            self.plain(f"{len(promises.broken)} of {total} promises do not hold:", "bold red")
            for promise, reason in promises.broken.items():
                self._mark(promise, reason)
        else:
            self.plain(f"All {total} promises hold.", "bold green")

    def _mark(self, promise: str, reason: str | None) -> None:
        if reason is None:
            self.line("        ✓", promise, "green")
        else:
            self.line("        ✗", f"{promise}: {reason}", "bold red")

    def records(self, rows: Iterable[Row]) -> None:
        """Print the records as they are at the end."""
        table = Table(box=None, padding=(0, 1, 0, 0), header_style="bold")
        widths = {"#": 2, "session": 7, "scope": 7, "status": 10, "by": 2}
        for name, width in widths.items():
            table.add_column(name, width=width, justify="right" if width == 2 else "left")
        room = self._console.width - sum(widths.values()) - len(widths) - 1
        table.add_column("summary", width=room, no_wrap=True, overflow="ellipsis")
        for row in rows:
            style = "" if row.status == "ACTIVE" else "dim"
            cells = (str(row.number), row.session, row.scope, row.status, row.replaced_by, row.summary)
            table.add_row(*(Text(cell) for cell in cells), style=style)
        self._console.print(table)

    def requests(self, rows: Iterable[Measured]) -> None:
        """Print how many requests each operation made, and how long they took."""
        table = Table(box=None, padding=(0, 1), header_style="bold")
        table.add_column("operation")
        for name in ("requests", "median ms", "slowest ms"):
            table.add_column(name, justify="right")
        for row in rows:
            table.add_row(row.operation, str(row.calls), f"{row.median:.0f}", f"{row.slowest:.0f}")
        self._console.print(table)

    def heading(self, title: str) -> None:
        """Open one of the closing tables."""
        self._console.print()
        self._console.print(Rule(Text(title, style="bold"), align="left", style="dim"))
