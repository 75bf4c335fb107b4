"""A function that dies at any write: all or nothing, and a retry finishes (SPEC §4 "All or nothing", CASES X5).

The writes of a turn are found by watching from outside, so that the tests know nothing of how many there are.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tests.e2e.between import WRITES, Seen, Side
from tests.e2e.conftest import Watched
from tests.e2e.driver import Agent, FunctionDied, Json, Refused, Turn, ids, lexical, new_id, summaries


@dataclass
class Story:
    """A turn with two adds, a replacement and a deletion, each call with ids of its own."""

    agent: Agent
    turn: Turn
    reader: Turn
    replaced: str
    deleted: str

    @staticmethod
    def begin(watched: Watched) -> "Story":
        agent = Agent(watched.runtime, lexical())
        replaced, deleted = agent.seed(["the fee is ten euro", "the desk closes at five"], "before", scope="agent")
        return Story(agent, agent.begin("writer"), agent.begin("reader"), replaced, deleted)

    def calls(self) -> list[tuple[str, Json]]:
        """The calls of the turn after its beginning."""

        def add(call: str, summary: str, **fields: str) -> tuple[str, Json]:
            given = {"summary": summary, "kind": "fact", "scope": "agent", **fields}
            return "callTool", {"callId": call, "name": "add_memory", "input": given}

        return [
            ("recall", {"recallId": "r", "text": "the fee"}),
            add("a1", "the lift is slow"),
            add("a2", "the window is red"),
            add("a3", "the fee is twelve euro", replaces=self.replaced),
            ("callTool", {"callId": "d", "name": "delete_memory", "input": {"id": self.deleted}}),
            ("appendEvents", {"appendId": "e", "events": [{"type": "reply", "text": "done"}]}),
            ("commitTurn", {}),
        ]

    def outcome(self) -> str:
        """What another session sees of the turn: ``nothing`` or ``all``; anything between fails."""
        entries = self.reader.search().sources
        seen = sorted(summaries(entries))
        reached = self.reader.search(ids=[self.replaced, self.deleted])
        if seen == ["the desk closes at five", "the fee is ten euro"]:
            assert [entry["version"] for entry in entries + reached.sources] == [1] * 4
            return "nothing"
        assert seen == ["the fee is twelve euro", "the lift is slow", "the window is red"]
        assert reached.sources == []
        successor = next(entry for entry in entries if entry["replaces"] == self.replaced)
        past, gone = self.reader.read(self.replaced), self.reader.read(self.deleted)
        assert (past["status"], past["version"], past["replacedBy"]) == ("SUPERSEDED", 2, successor["memoryId"])
        assert (gone["status"], gone["version"]) == ("DELETED", 2)
        assert sorted(self.reader.found("lift window fee desk")) == seen
        return "all"


def until_answered(call: Callable[[], Json], died: Callable[[], None]) -> Json:
    """Make a call as a runtime does: again, as it was, when the function died."""
    for _ in range(3):
        try:
            return call()
        except FunctionDied:
            died()
    pytest.fail("the function died of itself")


@pytest.fixture(scope="module")
def writes(watched: Watched) -> list[list[Seen]]:
    """The writes that each call of the story makes, as seen from outside."""
    story = Story.begin(watched)
    found = []
    for operation, fields in story.calls():
        with watched.between.watching() as seen:
            story.turn.call(operation, **fields)
        found.append([one for one in seen if one.operation in WRITES])
    assert story.outcome() == "all"
    return found


def test_a_turn_commits_in_one_transaction(writes: list[list[Seen]]) -> None:
    *before, commit = writes
    assert all(before), "every call of this turn is logged"
    assert [one.operation for one in commit] == ["TransactWriteItems"]
    assert commit[0].actions <= 100


def test_x5_a_function_killed_before_and_after_each_write_leaves_all_or_nothing_and_retries_end_the_turn(
    watched: Watched, writes: list[list[Seen]]
) -> None:
    """One turn in which every single write is the death of its function, twice, and every call is made again."""
    story, deaths = Story.begin(watched), 0
    for (operation, fields), made in zip(story.calls(), writes, strict=True):
        orders = [(n, Side.BEFORE) for n in range(len(made))] + [(n, Side.AFTER) for n in range(len(made))]
        for order in orders:
            watched.between.kill_at(*order)
            killed = watched.between.killed
            try:
                story.turn.call(operation, **fields)
            except FunctionDied:
                deaths += 1
                assert watched.between.killed == killed + 1
            else:
                assert order > (0, Side.BEFORE), "only a write that an earlier try has done may be missing"
            watched.between.disarm()
            committed = operation == "commitTurn" and order[1] is Side.AFTER
            assert story.outcome() == ("all" if committed else "nothing"), f"{operation}, {order}"
        story.turn.call(operation, **fields)
    assert deaths >= 2 * len(writes)
    result = story.turn.call("commitTurn")
    assert len(result["written"]) == 3
    assert (ids(result["replaced"]), ids(result["deleted"])) == ([story.replaced], [story.deleted])
    assert story.turn.describe()["status"] == "COMMITTED"
    assert story.outcome() == "all"


@pytest.mark.parametrize("side", Side)
def test_a_function_killed_at_each_write_of_the_turns_beginning_begins_it_once(watched: Watched, side: Side) -> None:
    agent = Agent(watched.runtime, lexical())
    request: dict[str, Any] = {
        "actionId": agent.id, "executionId": new_id(), "invocationNumber": 1, "principal": "p", "message": "hello",
        "sessionId": "s",
    }  # fmt: skip
    watched.between.kill_at(0, side)
    deaths: list[None] = []
    begun = until_answered(lambda: watched.runtime.call("beginTurn", **request), lambda: deaths.append(None))
    assert (len(deaths), begun["turn"]) == (1, 1)
    watched.runtime.call("commitTurn", executionId=request["executionId"], invocationNumber=1)
    assert agent.begin().begun["turn"] == 2


@pytest.mark.parametrize("side", Side)
def test_a_turn_given_up_after_its_commit_died_is_rolled_back_or_committed(watched: Watched, side: Side) -> None:
    story = Story.begin(watched)
    *calls, (commit, _) = story.calls()
    for operation, fields in calls:
        story.turn.call(operation, **fields)
    watched.between.kill_at(0, side)
    with pytest.raises(FunctionDied):
        story.turn.call(commit)
    if side is Side.BEFORE:
        assert story.turn.rollback()["status"] == "ROLLED_BACK"
        assert story.outcome() == "nothing"
        assert story.turn.retry().listed_summaries() != []
    else:
        with pytest.raises(Refused, match="TURN_ENDED"):
            story.turn.rollback()
        assert story.outcome() == "all"


@pytest.mark.parametrize("side", Side)
def test_a_roll_back_that_died_is_ended_by_the_same_call(watched: Watched, side: Side) -> None:
    agent = Agent(watched.runtime, lexical())
    turn = agent.begin()
    turn.add("she sails")
    watched.between.kill_at(0, side)
    deaths: list[None] = []
    assert until_answered(turn.rollback, lambda: deaths.append(None))["status"] == "ROLLED_BACK"
    assert len(deaths) == 1
    assert agent.visible() == []


NOISE = random.Random(7)
"""Text that cannot be compressed much, so that it does not fit into one transaction."""
LARGE: list[Json] = [
    {"type": "tool_result", "callId": f"c{n}", "name": "export", "output": NOISE.randbytes(200_000).hex()}
    for n in range(12)
]


@pytest.mark.parametrize("side", Side)
def test_a_large_append_killed_at_each_write_is_completed_by_the_same_call(watched: Watched, side: Side) -> None:
    agent = Agent(watched.runtime, lexical())
    turn = agent.begin("measure")
    with watched.between.watching() as seen:
        turn.append(*LARGE, append_id="a")
    count = sum(one.operation in WRITES for one in seen)
    assert count > 1, "large appends take several writes"
    for write in {0, 1, count - 1}:
        turn = agent.begin(f"{write}")
        watched.between.kill_at(write, side)
        with pytest.raises(FunctionDied):
            turn.append(*LARGE, append_id="a")
        if write < count - 1:
            refusal = turn.reply("commitTurn").get("error")
            assert refusal is None or refusal["code"] == "MISSING_APPEND"
            assert refusal is not None or (side is Side.BEFORE and write == 0), "a commit refuses a gap"
            if refusal is None:
                continue
            assert refusal["retriable"]
            assert "a" in refusal["message"]
        first = turn.append(*LARGE, append_id="a")
        assert first["last"] - first["first"] == 11
        assert turn.append(*LARGE, append_id="a") == first
        assert turn.describe()["nextSequence"] == first["last"] + 1
        turn.commit()
