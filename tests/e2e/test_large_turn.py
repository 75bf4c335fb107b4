"""A turn's size changes nothing of how it is committed (DESIGN "Commit")."""

from collections import Counter

import pytest

from tests.e2e.conftest import Watched
from tests.e2e.driver import Agent, Json, lexical, new_id

CHARACTERS = 4_900_000
"""Of all tool results together: 5 MB, in appends of at most 5 MB each."""


def events(count: int, characters: int) -> list[Json]:
    """Tool calls' results that share so many characters."""
    each = "lorem ipsum 0123456789 " * (1 + characters // count // 23)
    return [
        {"type": "tool_result", "callId": f"call-{n}", "name": "logs", "output": each[: characters // count]}
        for n in range(count)
    ]


@pytest.fixture
def agent(watched: Watched) -> Agent:
    return Agent(watched.runtime, lexical())


def requests_of_a_commit(watched: Watched, agent: Agent, count: int, characters: int) -> Counter[str]:
    """What the commit of a turn with three changes and so many events asks of DynamoDB."""
    old, gone = agent.seed([f"the old one {new_id()}", f"the gone one {new_id()}"], scope="agent")
    turn = agent.begin(new_id())
    for start in range(0, count, 500):
        some = events(min(500, count), characters * min(500, count) // count)
        turn.call("appendEvents", appendId=f"a{start}", events=some)
    turn.add(f"the first one {new_id()}", scope="agent")
    turn.add(f"the new one {new_id()}", scope="agent", replaces=old)
    turn.delete(gone)
    with watched.between.watching() as seen:
        turn.commit()
    assert max(one.actions for one in seen) < 100
    return Counter(one.operation for one in seen)


def test_a_turn_of_2000_events_and_5_mb_commits_with_the_requests_of_a_small_one(
    watched: Watched, agent: Agent
) -> None:
    small = requests_of_a_commit(watched, agent, 20, 2_000)
    large = requests_of_a_commit(watched, agent, 2_000, CHARACTERS)
    assert small["TransactWriteItems"] == large["TransactWriteItems"] == 1
    assert large == small
