"""The same fact is not held twice (SPEC §3)."""

from typing import Any

import pytest

from tests.e2e.driver import Agent, Json, Refused, Runtime, harness, ids

LABELS = {"customer": {"number": 5, "description": "The customer."}}


@pytest.fixture
def labelled(runtime: Runtime) -> Agent:
    return Agent(runtime, harness(labels=LABELS))


def same_fact(agent: Agent, session: str, summary: str, **fields: Any) -> Json:
    """What adding a fact answers that is there already: its record; nothing is written."""
    with agent.turn(session) as turn:
        entry = turn.added(summary, **fields)
        result = turn.commit()
    assert result["written"] == result["replaced"] == result["deleted"] == []
    return entry


def test_adding_a_fact_again_answers_with_the_record_that_is_there(agent: Agent) -> None:
    first = agent.remember("she sails", content="on Sundays")
    again = same_fact(agent, "s", "she sails", content="on Sundays")
    assert (again["memoryId"], again["version"], again["status"]) == (first, 1, "ACTIVE")
    assert agent.visible() == ["she sails"]


def test_adding_a_fact_twice_in_one_turn_is_one_record(agent: Agent) -> None:
    with agent.turn() as turn:
        assert turn.add("she sails") == turn.add("she sails")
        assert len(turn.commit()["written"]) == 1


def test_a_fact_of_agent_scope_is_the_same_from_every_session(agent: Agent) -> None:
    first = agent.remember("refunds take five days", session="a", scope="agent")
    assert same_fact(agent, "b", "refunds take five days", scope="agent")["memoryId"] == first


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ("caf\u00e9 au lait", "cafe\u0301 au lait"),
        ("two  spaces", "two spaces"),
        (" around ", "around"),
        ("tab\tand space", "tab and space"),
        ("ideographic\u3000space", "ideographic space"),
    ],
)
def test_normal_form_and_white_space_make_no_other_fact(agent: Agent, first: str, again: str) -> None:
    memory_id = agent.remember(first, content=f"line\n\n{first}")
    entry = same_fact(agent, "s", again, content=f"line {again}")
    assert entry["memoryId"] == memory_id
    assert entry["summary"] == first


@pytest.mark.parametrize(
    "other",
    [
        {"summary": "She sails"},
        {"content": "on Sundays"},
        {"labels": {"customer": "C-2"}},
        {"labels": {}},
        {"scope": "agent"},
    ],
    ids=["case", "content", "label value", "no label", "scope"],
)
def test_another_text_label_or_scope_is_another_fact(labelled: Agent, other: Json) -> None:
    fact: Json = {"summary": "she sails", "content": "", "labels": {"customer": "C-1"}}
    first = labelled.remember(**fact)
    assert labelled.remember(**{**fact, **other}) != first
    assert len(labelled.visible()) == 2


def test_another_session_holds_the_same_fact_for_itself(agent: Agent) -> None:
    first = agent.remember("she sails", session="a")
    second = agent.remember("she sails", session="b")
    assert first != second
    assert agent.visible("a") == agent.visible("b") == ["she sails"]


def test_another_agent_holds_the_same_fact_for_itself(runtime: Runtime) -> None:
    one, two = Agent(runtime), Agent(runtime)
    assert one.remember("refunds take five days", scope="agent") != two.remember(
        "refunds take five days", scope="agent"
    )
    assert two.visible() == ["refunds take five days"]


def test_the_same_fact_with_another_kind_is_refused_and_told_to_replace(agent: Agent) -> None:
    first = agent.remember("she sails")
    with agent.turn() as turn:
        message = turn.refused("add_memory", summary="she sails", kind="event")
        assert "use replaces" in message
        assert first in message
        new = turn.add("she sails", "event", replaces=first)
    with agent.turn() as turn:
        assert ids(turn.listed()) == [new]
        assert turn.read(new)["kind"] == "event"


def test_a_record_may_be_replaced_by_its_own_text_to_relabel_it(labelled: Agent) -> None:
    first = labelled.remember("she sails", labels={"customer": "C-1"})
    plain = labelled.remember("she sails", labels={"customer": "C-1"}, replaces=first)
    other = labelled.remember("she sails", labels={"customer": "C-2"}, replaces=plain)
    with labelled.turn() as turn:
        assert ids(turn.listed()) == [other]
        assert turn.read(first)["replacedBy"] == plain
        assert turn.read(plain)["replacedBy"] == other


def test_a_fact_that_was_deleted_or_corrected_may_be_learned_again(agent: Agent) -> None:
    first = agent.remember("the favourite colour is blue")
    red = agent.remember("the favourite colour is red", replaces=first)
    second = agent.remember("the favourite colour is blue", replaces=red)
    assert second not in (first, red)
    with agent.turn() as turn:
        turn.delete(second)
        third = turn.add("the favourite colour is blue")
    assert third not in (first, second)
    assert agent.visible() == ["the favourite colour is blue"]
    assert same_fact(agent, "s", "the favourite colour is blue")["memoryId"] == third


def test_a_record_is_not_replaced_by_what_another_one_says(agent: Agent) -> None:
    red = agent.remember("the colour is red")
    blue = agent.remember("the colour is blue")
    with agent.turn() as turn:
        assert red in turn.refused("add_memory", summary="the colour is red", kind="fact", replaces=blue)
        assert set(ids(turn.listed())) == {red, blue}


# Found out at commit: two turns at once.


def test_of_two_turns_with_one_fact_the_later_commit_skips_and_names_the_record(agent: Agent) -> None:
    first, second = agent.begin("a"), agent.begin("b")
    kept = first.add("refunds take five days", scope="agent")
    given = second.added("refunds take five days", _call="the call", scope="agent")["memoryId"]
    other = second.add("b alone knows this")
    first.commit()
    result = second.commit()
    assert result["skipped"] == [{"callId": "the call", "memoryId": given, "existingId": kept}]
    assert ids(result["written"]) == [other]
    with agent.turn("b") as turn:
        assert set(ids(turn.listed())) == {kept, other}
        assert turn.search(ids=[given]).output["missing"] == [given]


def test_later_changes_to_a_skipped_id_follow_the_record_that_is_there(agent: Agent) -> None:
    first, second = agent.begin("a"), agent.begin("b")
    kept = first.add("refunds take five days", scope="agent")
    gone = first.add("fees are ten euro", scope="agent")
    given = second.add("refunds take five days", scope="agent")
    new = second.add("refunds take two days", scope="agent", replaces=given)
    second.delete(second.add("fees are ten euro", scope="agent"))
    first.commit()
    result = second.commit()
    assert (ids(result["written"]), ids(result["replaced"]), ids(result["deleted"])) == ([new], [kept], [gone])
    with agent.turn("c") as turn:
        assert ids(turn.listed()) == [new]
        assert turn.read(kept)["replacedBy"] == new
        assert turn.read(new)["replaces"] == kept


def test_of_two_turns_with_one_fact_of_two_kinds_the_later_commit_conflicts(agent: Agent) -> None:
    first, second = agent.begin("a"), agent.begin("b")
    kept = first.add("refunds take five days", "fact", scope="agent")
    second.add("refunds take five days", "guidance", scope="agent")
    second.add("b alone knows this")
    first.commit()
    with pytest.raises(Refused) as caught:
        second.commit()
    assert caught.value.code == "CONFLICT"
    assert kept in caught.value.message
    assert second.describe()["status"] == "ROLLED_BACK"
    assert agent.visible("b") == ["refunds take five days"]
