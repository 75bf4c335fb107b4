"""Import time and memory of each function, each in a process of its own."""

import json
import subprocess
import sys
from collections.abc import Sequence

from memoir.schema import FUNCTIONS

_PROBE = """
import json, resource, sys, time
started = time.perf_counter()
__import__(sys.argv[1])
seconds = time.perf_counter() - started
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
heavy = [name for name in ("opensearchpy", "numpy", "aws_cdk", "onnxruntime") if name in sys.modules]
print(json.dumps({"seconds": seconds, "megabytes": peak / 1024, "heavy": heavy}))
"""


def main(argv: Sequence[str]) -> int:
    """Print one line a function."""
    print(f"{'function':<18}{'import':>9}{'memory':>10}  heavy modules")
    for function in FUNCTIONS:
        module = function.handler.partition(":")[0]
        done = subprocess.run([sys.executable, "-c", _PROBE, module], check=True, capture_output=True, text=True)
        found = json.loads(done.stdout)
        heavy = ", ".join(found["heavy"]) or "none"
        print(f"{function.key:<18}{found['seconds']:>7.2f} s{found['megabytes']:>7.0f} MB  {heavy}")
    return 0
