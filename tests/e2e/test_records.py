"""The record: its fields, limits, versions and transitions (page "Agent memory"; SPEC §3)."""

import re
import uuid
from datetime import UTC, datetime, timedelta

import pytest

from tests.e2e.driver import Agent, ids

RFC3339_UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


def test_a_new_record_has_the_fields_of_the_page(agent: Agent) -> None:
    with agent.turn("desk") as turn:
        staged = turn.added("she sails", "event", content="said on the phone")
        assert staged["version"] == 1
        assert staged["status"] == "ACTIVE"
        assert staged["created"] is None
    with agent.turn("desk") as turn:
        entry = turn.read(staged["memoryId"])
    assert {**entry, "created": "", "modified": ""} == {
        "memoryId": staged["memoryId"], "version": 1, "status": "ACTIVE", "scope": "SESSION", "kind": "event",
        "summary": "she sails", "content": "said on the phone", "labels": [], "pinned": False, "source": "TOOL",
        "created": "", "modified": "", "replaces": None, "replacedBy": None, "preview": False,
    }  # fmt: skip


def test_ids_are_version_7_uuids_made_at_the_call_in_canonical_form(agent: Agent) -> None:
    with agent.turn() as turn:
        first, second = turn.add("one"), turn.add("two")
        assert ids(turn.commit()["written"]) == [first, second]
    assert first < second
    for memory_id in (first, second):
        assert str(uuid.UUID(memory_id)) == memory_id
        assert uuid.UUID(memory_id).version == 7
        made = datetime.fromtimestamp(int(memory_id[:8] + memory_id[9:13], 16) / 1000, UTC)
        assert abs(datetime.now(UTC) - made) < timedelta(minutes=1)


def test_times_are_the_commits_time_the_same_for_all_records_of_a_turn(agent: Agent) -> None:
    before = datetime.now(UTC) - timedelta(milliseconds=1)
    with agent.turn() as turn:
        first, second = turn.add("one"), turn.add("two")
        committing = datetime.now(UTC) - timedelta(milliseconds=1)
    with agent.turn() as turn:
        entries = [turn.read(first), turn.read(second)]
    assert len({entry["created"] for entry in entries} | {entry["modified"] for entry in entries}) == 1
    created = entries[0]["created"]
    assert RFC3339_UTC.fullmatch(created)
    assert before < committing <= datetime.fromisoformat(created) <= datetime.now(UTC)


def test_replacing_writes_version_2_with_the_successors_time(agent: Agent) -> None:
    old = agent.remember("blue")
    with agent.turn() as turn:
        new = turn.add("red", replaces=old)
    with agent.turn() as turn:
        past, now = turn.read(old), turn.read(new)
    assert (past["status"], past["version"], past["replacedBy"]) == ("SUPERSEDED", 2, new)
    assert (now["status"], now["version"], now["replaces"]) == ("ACTIVE", 1, old)
    assert past["modified"] == now["created"]
    assert past["created"] < past["modified"]
    assert past["summary"] == "blue"


def test_deleting_a_superseded_record_keeps_who_replaced_it(agent: Agent) -> None:
    old = agent.remember("blue")
    new = agent.remember("red", replaces=old)
    with agent.turn() as turn:
        turn.delete(old)
    with agent.turn() as turn:
        entry = turn.read(old)
    assert (entry["status"], entry["version"], entry["replacedBy"]) == ("DELETED", 3, new)


def test_deleting_a_deleted_record_returns_it_unchanged(agent: Agent) -> None:
    gone = agent.remember("blue")
    with agent.turn() as turn:
        turn.delete(gone)
        assert turn.delete(gone)["version"] == 2
    with agent.turn() as turn:
        before = turn.read(gone)
        assert turn.delete(gone) == before
        assert turn.commit()["deleted"] == []
    with agent.turn() as turn:
        assert turn.read(gone) == before


def test_a_record_added_replaced_and_deleted_in_one_turn_keeps_all_its_versions(agent: Agent) -> None:
    with agent.turn() as turn:
        first = turn.add("blue")
        second = turn.add("red", replaces=first)
        turn.delete(second)
        assert turn.listed() == []
    with agent.turn() as turn:
        assert (turn.read(first)["status"], turn.read(first)["replacedBy"]) == ("SUPERSEDED", second)
        assert (turn.read(second)["status"], turn.read(second)["version"]) == ("DELETED", 2)
        assert turn.listed() == []


@pytest.mark.parametrize("deleted", [False, True], ids=["superseded", "deleted"])
def test_a_record_that_is_no_longer_active_cannot_be_replaced(agent: Agent, deleted: bool) -> None:
    old = agent.remember("blue")
    new = agent.remember("red", replaces=old)
    with agent.turn() as turn:
        if deleted:
            turn.delete(old)
        message = turn.refused("add_memory", summary="green", kind="fact", replaces=old)
        assert old in message
        assert deleted or new in message
        assert ids(turn.listed()) == [new]


def test_a_record_is_replaced_at_most_once_in_a_turn(agent: Agent) -> None:
    old = agent.remember("blue")
    with agent.turn() as turn:
        new = turn.add("red", replaces=old)
        assert new in turn.refused("add_memory", summary="green", kind="fact", replaces=old)
        assert turn.add("green", replaces=new)
    assert agent.visible() == ["green"]
