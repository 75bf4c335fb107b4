"""The speed bench runs whole on small sizes."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def bench(out: Path, opensearch: str) -> None:
    sizes = ["--sizes", "10", "30", "--queries", "4", "--commits", "2"]
    subprocess.run(
        [sys.executable, "-m", "tests.bench", "speed", *sizes, "--out", str(out), "--docs", str(out)],
        cwd=ROOT,
        env={**os.environ, "OPENSEARCH_URL": opensearch},
        capture_output=True,
        check=True,
    )


def test_it_measures_every_stage_whole(tmp_path: Path, opensearch: str) -> None:
    bench(tmp_path, opensearch)
    lines = json.loads((tmp_path / "speed.json").read_text())["lines"]
    stages = {(one["operation"], one["stage"]) for one in lines}
    assert {("search", stage) for stage in ("wall", "handler CPU", "embed", "query", "check", "score")} <= stages
    assert {("commit", "wall"), ("commit", "handler CPU")} <= stages
    assert all(one["p50"] <= one["p95"] for one in lines)
    requests = {one["records"]: one["requests"] for one in lines if one["operation"] == "search"}
    assert set(requests) == {10, 30}
    assert len(set(requests.values())) == 1, "the requests of a search do not grow"
    assert (tmp_path / "speed.png").stat().st_size > 1_000
    assert "| handler CPU |" in (tmp_path / "speed.md").read_text()
