"""Why a search finds what it finds: ``make explain AGENT=… QUERY="…" SESSION=…`` (SPEC §5 "explain")."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from memoir.client import Memoir, MemoirCallError

LISTED = 20
"""Dropped candidates that are shown."""


def main(local_file: Path, argv: Sequence[str]) -> int:
    """Search in a turn that is rolled back, and show each record's part in it; the exit code."""
    parser = argparse.ArgumentParser(prog="make explain", description=__doc__)
    parser.add_argument("--agent", required=True, metavar="ID", help="the agent's actionId")
    parser.add_argument("--session", metavar="NAME", help="the session that searches; none for an agent without")
    parser.add_argument("query", help="what to search for")
    arguments = parser.parse_args(argv)
    console = Console()
    if not local_file.exists():
        console.print(f"[red]{local_file} is not there: run `make up` in another terminal first")
        return 1
    asked = {"action_id": arguments.agent, "session_id": arguments.session, "principal": "user:operator"}
    try:
        with Memoir.local(local_file).turn(message=arguments.query, **asked) as turn:
            found = turn.search(arguments.query, limit=50, explain=True)
            turn.rollback("only a look")
    except MemoirCallError as error:
        console.print(f"[red]{error}")
        return 1
    if not found.ok:
        console.print(f"[red]{found.text}")
        return 1
    _show(console, found.output)
    return 0


def _show(console: Console, output: Any) -> None:
    texts = {one["memoryId"]: one["summary"] for one in output["sources"]}
    shown = Table(
        "", "score", "similarity", "words", "found by", "created", "summary", title="found", title_justify="left"
    )
    for place, one in enumerate(output["explain"]["results"], 1):
        similarity = "–" if one["similarity"] is None else f"{one['similarity']:.3f}"
        shown.add_row(
            str(place),
            f"{one['score']:.3f}",
            similarity,
            f"{one['words']:.2f}",
            ", ".join(one["foundBy"]),
            one["recency"] or "in this turn",
            texts.get(one["memoryId"], one["memoryId"]),
        )
    console.print(shown)
    dropped = output["explain"]["dropped"]
    for one in dropped[:LISTED]:
        console.print(f"dropped {one['memoryId']}: {one['reason']}", highlight=False)
    if len(dropped) > LISTED:
        console.print(f"and {len(dropped) - LISTED} more were dropped")
    if "degraded" in output:
        console.print(f"[yellow]{output['degraded']['message']}")
