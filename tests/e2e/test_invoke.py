"""The events of ``events/`` do what their names say, by ``make invoke`` (SPEC §14)."""

import json
from pathlib import Path

import pytest

from infra.local.invoke import main
from infra.local.system import LocalSystem

ROOT = Path(__file__).parents[2]
STORY = sorted(file.stem for file in (ROOT / "events" / "agent_runtime").glob("*.json"))


@pytest.fixture(autouse=True)
def in_the_projects_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def test_the_story_of_the_events_runs_from_registering_to_finding_and_runs_again_the_same(
    system: LocalSystem, capsys: pytest.CaptureFixture[str]
) -> None:
    told = []
    for _ in range(2):
        replies = {}
        for event in STORY:
            assert main(system.file, "agent_runtime", event) == 0, event
            replies[event] = json.loads(capsys.readouterr().out)["result"]
        told.append(replies)
    assert told[0]["07-commit-turn"] == told[1]["07-commit-turn"]
    assert [one["summary"] for one in told[0]["07-commit-turn"]["written"]] == ["Maya drinks tea without sugar"]
    found = told[0]["09-search-memory"]["output"]["sources"]
    assert [one["summary"] for one in found] == ["Maya drinks tea without sugar"]
    assert told[1]["10-rollback-turn"]["status"] == "ROLLED_BACK"


@pytest.mark.parametrize(
    ("function", "event", "told"),
    [("nothing", "x", "use one of agent_runtime"), ("agent_runtime", "x", "use one of 01-register-agent")],
)
def test_a_wrong_name_is_told_with_the_right_ones(
    system: LocalSystem, capsys: pytest.CaptureFixture[str], function: str, event: str, told: str
) -> None:
    assert main(system.file, function, event) == 1
    assert told in capsys.readouterr().err


def test_without_a_running_system_it_says_what_to_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(tmp_path / "local.json", "agent_runtime", STORY[0]) == 1
    assert "make up" in capsys.readouterr().err


def test_an_error_reply_is_printed_and_is_no_success(system: LocalSystem, capsys: pytest.CaptureFixture[str]) -> None:
    agent = (ROOT / "events" / "agent_runtime" / "02-begin-turn.json").read_text(encoding="utf-8")
    assert '"actionId"' in agent
    with LocalSystem(opensearch=False) as fresh:
        assert main(fresh.file, "agent_runtime", "02-begin-turn") == 1
    assert "NOT_FOUND" in capsys.readouterr().out
