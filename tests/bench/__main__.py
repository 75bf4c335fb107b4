"""``make bench``: all benches in one run; ``make bench ARGS="speed --sizes 100"`` runs one of them."""

import importlib
import sys
from collections.abc import Sequence

BENCHES = {
    "imports": "tests.bench.imports",
    "speed": "tests.bench.speed.run",
    "quality": "tests.bench.quality.run",
    "review": "tests.bench.review.run",
    "tried": "tests.bench.quality.tried",
}
ALL = ("imports", "speed", "quality", "review")
"""What runs when none is named."""


def main(argv: Sequence[str]) -> int:
    """Run the bench that is named, or all; the exit code."""
    if argv and argv[0] not in BENCHES:
        print(f"{argv[0]} is no bench: use one of {', '.join(BENCHES)}", file=sys.stderr)
        return 2
    chosen = [argv[0]] if argv else list(ALL)
    codes: list[int] = []
    for name in chosen:
        print(f"== {name}")
        codes.append(importlib.import_module(BENCHES[name]).main(argv[1:]))
    return max(codes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
