"""The page ``docs/speed.md``, made from the figures of one run."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.bench.speed.run import Line

TEXT = """# Speed as a memory grows

Figures of one run of `make bench ARGS="speed --docs docs"` on two cores, all on loopback: the handler in the bench's
own process, moto's DynamoDB and a real OpenSearch beside it. Agents of all these sizes lie in one index. Each search
is a `search_memory` by query, words and meaning; each commit is a turn with {adds} adds. {queries} searches and
{commits} commits a size, embedder {embedder}.

- **wall**: the whole call. **handler CPU**: getrusage of the handler's process. **embed**, **query** (the one
  `_msearch`), **check** (heads of the hits, strongly consistent), **score** (the domain's function over the
  candidates): wall time of a stage; stages that run side by side each count in full.
- What the wall time is made of here is moto and OpenSearch on the same two cores; handler CPU and requests are
  memoir's own.
"""


def page(lines: Sequence["Line"], arguments: argparse.Namespace) -> str:
    """The whole page."""
    from tests.bench.speed.run import ADDS

    head = TEXT.format(adds=ADDS, queries=arguments.queries, commits=arguments.commits, embedder=arguments.embedder)
    sizes = sorted({one.records for one in lines})
    found = [head, _growth(lines, sizes), "![milliseconds of each stage](speed.png)\n"]
    found += [
        f"## {operation}: p50 / p95 in milliseconds\n\n{_table(lines, operation, sizes)}"
        for operation in dict.fromkeys(one.operation for one in lines)
    ]
    return "\n".join(found)


def _growth(lines: Sequence["Line"], sizes: Sequence[int]) -> str:
    cpu = {one.records: one.mean for one in lines if (one.operation, one.stage) == ("search", "handler CPU")}
    base = 1_000 if 1_000 in cpu else sizes[0]
    share = cpu[sizes[-1]] / cpu[base]
    return (
        f"Handler CPU per search, mean: {cpu[base]:.1f} ms at {base:,} records, {cpu[sizes[-1]]:.1f} ms at "
        f"{sizes[-1]:,}: **{share:.2f} times**.\n"
    )


def _table(lines: Sequence["Line"], operation: str, sizes: Sequence[int]) -> str:
    chosen = [one for one in lines if one.operation == operation]
    rows = ["| stage | " + " | ".join(f"{size:,} records" for size in sizes) + " |", "|---|" + "--:|" * len(sizes)]
    for stage in dict.fromkeys(one.stage for one in chosen):
        by = {one.records: one for one in chosen if one.stage == stage}
        rows.append(f"| {stage} | " + " | ".join(f"{by[size].p50:.1f} / {by[size].p95:.1f}" for size in sizes) + " |")
    requests = {one.records: one.requests for one in chosen if one.stage == "wall"}
    rows.append("| DynamoDB requests | " + " | ".join(f"{requests[size]:g}" for size in sizes) + " |")
    return "\n".join(rows) + "\n"
