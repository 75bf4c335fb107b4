"""``AgentStore``: agents and their immutable versions (SPEC §2)."""

import pytest

from memoir.ports import Raced, Registration
from tests.builders import AGENT, agent_version, head
from tests.contracts.conftest import Stores


def test_an_agent_that_was_never_registered_is_nothing(stores: Stores) -> None:
    assert stores.agents.head(AGENT) is None
    assert stores.agents.version(AGENT, 1) is None
    assert stores.agents.registration(AGENT, "r") is None


def test_a_version_comes_back_as_it_was_registered(stores: Stores) -> None:
    stores.agents.register(agent_version(), head(1, customer=5), None, Registration("r/1 #", "mark", 1))
    assert stores.agents.head(AGENT) == head(1, customer=5)
    assert stores.agents.version(AGENT, 1) == agent_version()
    assert stores.agents.registration(AGENT, "r/1 #") == ("mark", 1)
    assert stores.agents.registration(AGENT, "r/1") is None


def test_a_second_version_leaves_the_first_as_it_was(stores: Stores) -> None:
    stores.agents.register(agent_version(), head(), None, None)
    stores.agents.register(agent_version(2, name="bench"), head(2, ticket=6), head(), None)
    assert stores.agents.version(AGENT, 1) == agent_version()
    assert stores.agents.version(AGENT, 2) == agent_version(2, name="bench")
    assert stores.agents.head(AGENT) == head(2, ticket=6)


@pytest.mark.parametrize("expected", [None, head(2), head(1, customer=6)])
def test_a_head_that_is_not_as_read_changes_nothing(stores: Stores, expected: object) -> None:
    stores.agents.register(agent_version(), head(1, customer=5), None, None)
    with pytest.raises(Raced):
        stores.agents.register(agent_version(2), head(2, customer=5), expected, Registration("r", "m", 2))  # type: ignore[arg-type]
    assert stores.agents.head(AGENT) == head(1, customer=5)
    assert stores.agents.version(AGENT, 2) is None
    assert stores.agents.registration(AGENT, "r") is None


def test_a_request_id_is_taken_once(stores: Stores) -> None:
    stores.agents.register(agent_version(), head(), None, Registration("r", "mark", 1))
    with pytest.raises(Raced):
        stores.agents.register(agent_version(2), head(2), head(), Registration("r", "another", 2))
    assert stores.agents.head(AGENT) == head()
    assert stores.agents.registration(AGENT, "r") == ("mark", 1)


def test_a_request_may_be_noted_without_a_new_version(stores: Stores) -> None:
    stores.agents.register(agent_version(), head(), None, None)
    stores.agents.register(None, head(), head(), Registration("r", "mark", 1))
    assert stores.agents.registration(AGENT, "r") == ("mark", 1)
