"""The figures as a picture."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.bench.speed.run import Line


def draw(lines: Sequence["Line"], file: Path) -> None:
    """One panel an operation: p50 and p95 of each stage against the number of records."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    operations = list(dict.fromkeys(one.operation for one in lines))
    picture, axes = plt.subplots(1, len(operations), figsize=(5.5 * len(operations), 4), squeeze=False)
    for axis, operation in zip(axes[0], operations, strict=True):
        for stage in dict.fromkeys(one.stage for one in lines if one.operation == operation):
            chosen = [one for one in lines if (one.operation, one.stage) == (operation, stage)]
            sizes = [one.records for one in chosen]
            (drawn,) = axis.plot(sizes, [one.p50 for one in chosen], marker="o", label=stage)
            axis.plot(sizes, [one.p95 for one in chosen], linestyle=":", color=drawn.get_color())
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.set_xlabel("records of the agent")
        axis.set_ylabel("milliseconds (line: p50, dots: p95)")
        axis.set_title(operation)
        axis.legend(fontsize=8)
    picture.tight_layout()
    picture.savefig(file, dpi=110)
    plt.close(picture)
