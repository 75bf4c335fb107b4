"""``make explain`` shows readably why a search finds what it finds (SPEC §5)."""

import pytest

from infra.local.explain import main
from infra.local.system import LocalSystem
from tests.e2e.driver import Agent, new_id


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")


def test_each_record_is_shown_with_its_part_and_the_dropped_with_their_reason(
    system: LocalSystem, agent: Agent, capsys: pytest.CaptureFixture[str]
) -> None:
    ids = agent.seed(["the door code is ZX-99417-QP", "Maya drinks green tea", "quantum flux 7"], scope="agent")
    session = new_id()
    assert main(system.file, ["--agent", agent.id, "--session", session, "ZX-99417-QP"]) == 0
    shown = capsys.readouterr().out
    line = next(line for line in shown.splitlines() if "the door code is" in line)
    assert "words" in line
    assert "code" in line
    assert ids[2] in shown
    assert "is below" in shown
    assert "index" in shown  # this system has none, and says so
    agent.begin(session).rollback()  # the look left no open turn


@pytest.mark.parametrize(
    ("agent_id", "told"), [("nobody", "must be a UUID"), ("0190b5a4-7c1e-7000-8000-00000000e0ff", "not registered")]
)
def test_what_cannot_be_asked_is_said_and_is_no_success(
    system: LocalSystem, capsys: pytest.CaptureFixture[str], agent_id: str, told: str
) -> None:
    assert main(system.file, ["--agent", agent_id, "--session", "s", "tea"]) == 1
    assert told in capsys.readouterr().out
