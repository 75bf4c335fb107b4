"""The figures as a picture."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.bench.quality.run import Figure

_METRICS = ("recall@5", "recall@10")


def draw(figures: Sequence["Figure"], file: Path) -> None:
    """One panel a set and embedder: recall@5 and @10 of each method, with their intervals."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    panels = list(dict.fromkeys((one.set, one.embedder) for one in figures))
    columns = min(4, len(panels))
    rows = -(-len(panels) // columns)
    picture, axes = plt.subplots(rows, columns, figsize=(4.5 * columns, 3.2 * rows), squeeze=False)
    for place, (name, embedder) in enumerate(panels):
        axis = axes[place // columns][place % columns]
        chosen = [one for one in figures if (one.set, one.embedder) == (name, embedder)]
        methods = list(dict.fromkeys(one.method for one in chosen))
        for shift, metric in enumerate(_METRICS):
            of = {one.method: one for one in chosen if one.metric == metric}
            values = [of[method].value for method in methods]
            errors = [
                [max(0.0, of[m].value - of[m].low) for m in methods],
                [max(0.0, of[m].high - of[m].value) for m in methods],
            ]
            axis.barh([n + 0.4 * shift for n in range(len(methods))], values, 0.38, xerr=errors, label=metric)
        axis.set_yticks([n + 0.2 for n in range(len(methods))], methods, fontsize=8)
        axis.set_xlim(0, 1.02)
        axis.invert_yaxis()
        axis.set_title(f"{name}\n{embedder}", fontsize=8)
    for place in range(len(panels), rows * columns):
        axes[place // columns][place % columns].set_axis_off()
    axes[0][0].legend(fontsize=7, loc="lower right")
    picture.tight_layout()
    picture.savefig(file, dpi=110)
    plt.close(picture)
