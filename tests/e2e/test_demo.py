"""``make demo``: its story holds on the running system, and a promise that does not hold ends it with 1."""

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

from rich.cells import cell_len
from rich.console import Console

from infra.local.demo import SCENES, play
from infra.local.demo_stage import APART
from infra.local.system import LocalSystem

ROOT = Path(__file__).parents[2]


class LeakyLambda:
    """A Lambda client that puts the first record it ever saw recalled into every later recall, whoever asks."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._leaked: list[dict[str, Any]] = []

    def invoke(self, **request: Any) -> Any:
        response = self._client.invoke(**request)
        if json.loads(request["Payload"])["operation"] == "recall":
            reply = json.loads(response["Payload"].read())
            records = reply["result"]["records"]
            self._leaked = self._leaked or records[:1]
            records += [one for one in self._leaked if one["memoryId"] not in {each["memoryId"] for each in records}]
            response["Payload"] = io.BytesIO(json.dumps(reply).encode())
        return response


def test_demo_keeps_its_promises_and_is_readable_without_a_terminal() -> None:
    environment = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "FORCE_COLOR"}}
    done = subprocess.run(
        [sys.executable, "-m", "infra.local", "demo"],
        cwd=ROOT,
        env=environment | {"PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    held = re.search(r"All (\d+) promises hold\.", done.stdout)
    assert held is not None
    assert int(held[1]) >= 10
    assert "✗" not in done.stdout
    assert "\x1b" not in done.stdout
    assert max(cell_len(line) for line in done.stdout.splitlines()) <= 80
    for expected in ("Every record, as it is now", "SUPERSEDED", "DELETED", "AGENT", "commitTurn", "陈晓雨"):
        assert expected in done.stdout


def test_demo_names_a_promise_that_does_not_hold_and_ends_with_1(system: LocalSystem) -> None:
    screen = io.StringIO()
    console = Console(file=screen, width=80, highlight=False, emoji=False)
    leaky = cast("Any", LeakyLambda(system.lambda_client()))
    assert play(console, leaky, system.function_name, SCENES[:2]) == 1
    text = " ".join(screen.getvalue().split())
    assert f"✗ {APART}" in text
    assert "Daniel's session got" in text
    assert "2 of 3 promises do not hold" in text


def test_demo_ends_with_1_when_a_call_is_not_answered(system: LocalSystem) -> None:
    screen = io.StringIO()
    console = Console(file=screen, width=80, highlight=False, emoji=False)
    assert play(console, system.lambda_client(), "no-such-function", SCENES[:1]) == 1
    assert "✗ Every call is answered: Lambda refused the call" in " ".join(screen.getvalue().split())
