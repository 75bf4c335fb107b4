"""The services on ports in memory: what is hard to reach from outside (SPEC §4)."""

import itertools
from typing import Any

import pytest
from pydantic import JsonValue

from memoir.domain.errors import Conflict, SessionBusy, TurnAbandoned, Unavailable
from memoir.domain.turn import LEASE_SECONDS
from memoir.ports import Commit, Raced
from memoir.protocol import (
    BeginTurn,
    CallTool,
    CallToolResult,
    CommitTurn,
    CommitTurnResult,
    RegisterAgent,
    RollbackTurn,
)
from memoir.services.begin_turn import begin_turn
from memoir.services.call_tool import call_tool
from memoir.services.commit_turn import commit_turn
from memoir.services.register_agent import register_agent
from memoir.services.resources import Resources
from memoir.services.rollback_turn import rollback_turn
from tests.builders import AGENT, harness, resources
from tests.fake_turns import FakeTurns
from tests.fakes import FakeClock, FakeEmbedder

_NUMBERS = itertools.count(1)


class Desk:
    """An agent on ports in memory."""

    def __init__(self, res: Resources) -> None:
        self.res = res
        register_agent(res, RegisterAgent(operation="registerAgent", action_id=AGENT, name="desk", harness=harness()))

    def begin(self, session: str = "s", execution: str | None = None, number: int = 1) -> dict[str, Any]:
        """Begin a turn; its ids."""
        ids: dict[str, Any] = {
            "execution_id": execution or f"00000000-0000-4000-9000-{next(_NUMBERS):012x}",
            "invocation_number": number,
        }
        request = BeginTurn(
            operation="beginTurn", action_id=AGENT, session_id=session, principal="user:maria", message="hi", **ids
        )
        begin_turn(self.res, request)
        return ids

    def tool(self, turn: dict[str, Any], name: str, **given: JsonValue) -> CallToolResult:
        """Call a tool."""
        call = CallTool(operation="callTool", call_id=f"c{next(_NUMBERS)}", name=name, input=given, **turn)
        return call_tool(self.res, call)

    def add(self, turn: dict[str, Any], summary: str, **given: JsonValue) -> str:
        """Add a record of agent scope; its id."""
        done = self.tool(turn, "add_memory", summary=summary, kind="fact", scope="agent", **given)
        assert done.status == "COMPLETED", done.text
        memories: Any = done.output["memories"]
        return str(memories[0]["memoryId"])

    def commit(self, turn: dict[str, Any]) -> CommitTurnResult:
        """Commit."""
        return commit_turn(self.res, CommitTurn(operation="commitTurn", **turn))

    def listed(self, session: str) -> list[str]:
        """Summaries that a fresh turn lists."""
        turn = self.begin(session)
        sources: Any = self.tool(turn, "search_memory").output["sources"]
        rollback_turn(self.res, RollbackTurn(operation="rollbackTurn", **turn))
        return [one["summary"] for one in sources]


@pytest.fixture
def desk() -> Desk:
    return Desk(resources())


def clock(desk: Desk) -> FakeClock:
    assert isinstance(desk.res.clock, FakeClock)
    return desk.res.clock


def test_a_session_is_busy_until_its_lease_ends_and_then_taken_over(desk: Desk) -> None:
    first = desk.begin()
    desk.add(first, "tea")
    clock(desk).move(LEASE_SECONDS - 1)
    with pytest.raises(SessionBusy, match=first["execution_id"]):
        desk.begin()
    clock(desk).move(1)
    second = desk.begin()
    with pytest.raises(TurnAbandoned, match=second["execution_id"]):
        desk.commit(first)
    desk.commit(second)
    assert desk.listed("other") == []


def test_every_call_renews_the_lease(desk: Desk) -> None:
    turn = desk.begin()
    for _ in range(3):
        clock(desk).move(LEASE_SECONDS - 1)
        desk.tool(turn, "search_memory")
    with pytest.raises(SessionBusy):
        desk.begin()


def test_a_clock_that_goes_back_gives_no_earlier_commit_time(desk: Desk) -> None:
    turn = desk.begin()
    desk.add(turn, "first")
    desk.commit(turn)
    clock(desk).move(-3_600)
    turn = desk.begin()
    desk.add(turn, "second")
    desk.commit(turn)
    assert desk.listed("s") == ["second", "first"]


class Racing(FakeTurns):
    """Somebody else wins the first races of a commit."""

    def __init__(self, desk: Desk, races: int) -> None:
        assert isinstance(desk.res.turns, FakeTurns)
        self.__dict__.update(desk.res.turns.__dict__)
        self.races = races

    def commit(self, commit: Commit) -> None:
        if self.races:
            self.races -= 1
            raise Raced
        super().commit(commit)


def racing(desk: Desk, races: int) -> None:
    object.__setattr__(desk.res, "turns", Racing(desk, races))


def test_a_commit_that_is_overtaken_reads_again_and_commits(desk: Desk) -> None:
    turn = desk.begin()
    desk.add(turn, "tea")
    racing(desk, 3)
    assert [one.summary for one in desk.commit(turn).written] == ["tea"]
    assert len(clock(desk).pauses) == 3


def test_a_commit_that_never_gets_through_says_to_call_again_and_has_written_nothing(desk: Desk) -> None:
    turn = desk.begin()
    desk.add(turn, "tea")
    racing(desk, 1_000)
    with pytest.raises(Unavailable, match="call again with the same ids"):
        desk.commit(turn)
    racing(desk, 0)
    assert desk.listed("other") == []
    assert [one.summary for one in desk.commit(turn).written] == ["tea"]


def test_a_conflict_is_answered_the_same_each_time_and_leaves_nothing(desk: Desk) -> None:
    seed = desk.begin()
    old = desk.add(seed, "tea")
    desk.commit(seed)
    loser, winner = desk.begin("a"), desk.begin("b")
    desk.add(loser, "black tea", replaces=old)
    desk.add(loser, "another fact")
    desk.add(winner, "green tea", replaces=old)
    desk.commit(winner)
    for _ in range(2):
        with pytest.raises(Conflict, match=old):
            desk.commit(loser)
    assert desk.listed("c") == ["green tea"]
    again = desk.begin("a", loser["execution_id"], 2)
    desk.add(again, "another fact")
    desk.commit(again)
    assert desk.listed("c") == ["another fact", "green tea"]


def test_an_embedder_that_is_down_fails_neither_adds_nor_searches(desk: Desk) -> None:
    assert isinstance(desk.res.embedder, FakeEmbedder)
    desk.res.embedder.down = True
    turn = desk.begin()
    desk.add(turn, "Maya drinks tea")
    found = desk.tool(turn, "search_memory", query="tea")
    assert "Maya drinks tea" in found.text
    degraded: Any = found.output["degraded"]
    assert degraded["missing"] == ["index", "embedder"]
    assert desk.commit(turn).usage == ()
    assert desk.listed("other") == ["Maya drinks tea"]
