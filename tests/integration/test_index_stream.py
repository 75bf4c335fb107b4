"""Whatever the stream does, the index ends equal to the tables, document by document (SPEC §4; CASES W5, S7)."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from memoir.schema import STREAM_INDEXER
from tests.e2e.between import Side
from tests.e2e.driver import Agent, harness, new_id
from tests.integration.conftest import Indexed
from tests.integration.documents import assert_equal, caught_up, expected, indexed_documents, waiting

LABELS = {"customer": {"number": 5, "description": "The customer."}}


@pytest.fixture
def agent(indexed: Indexed) -> Agent:
    return Agent(indexed.runtime, harness(labels=LABELS))


@pytest.fixture(autouse=True)
def switches_are_put_back(indexed: Indexed) -> Iterator[None]:
    yield
    switches = indexed.pump.switches
    switches.stopped = switches.losing = switches.duplicate = switches.reorder = False
    switches.delay = 0.0
    for between in (indexed.dynamodb, indexed.opensearch):
        between.disarm()


def a_days_work(agent: Agent, session: str = "s") -> list[str]:
    """Turns that add, correct and delete in both scopes; the summaries that are left."""
    with agent.turn(session) as turn:
        tea = turn.add(f"Maya drinks green tea in {session}", scope="agent", labels={"customer": "C-1"})
        bike = turn.add(f"Her bicycle is red, order OR-9917-2-{session}", scope="agent")
        note = turn.add("She asked to be called tomorrow")
        turn.add(f"彼女は京都に住んでいます {session}", scope="agent")
    with agent.turn(session) as turn:
        turn.add(f"Maya drinks black tea in {session}", scope="agent", replaces=tea)
        turn.delete(note)
    with agent.turn("another") as turn:
        turn.add(f"A secret that {session} must not see")
        turn.delete(bike)
    return [
        f"Maya drinks black tea in {session}",
        f"彼女は京都に住んでいます {session}",
        f"A secret that {session} must not see",
    ]


def test_the_index_holds_every_record_as_it_is_and_tombstones_of_the_dead(indexed: Indexed, agent: Agent) -> None:
    a_days_work(agent)
    caught_up(indexed, agent.id)
    assert_equal(indexed, agent.id)
    found = indexed_documents(indexed, agent.id)
    assert len(found) == 6
    dead = [body for _, body in found.values() if not body["active"]]
    assert len(dead) == 3
    assert all("stored_tokens" not in body and "stored_vector" not in body for body in dead)
    assert all("stored_vector" in body for _, body in found.values() if body["active"])


def test_a_stream_that_comes_twice_and_out_of_order_ends_the_same(indexed: Indexed, agent: Agent) -> None:
    switches = indexed.pump.switches
    switches.stopped = switches.duplicate = switches.reorder = True
    for number in range(6):
        a_days_work(agent, f"s{number}")
    switches.stopped = False
    caught_up(indexed, agent.id)
    assert_equal(indexed, agent.id)


def test_a_stream_that_comes_late_ends_the_same_and_searches_never_noticed(indexed: Indexed, agent: Agent) -> None:
    indexed.pump.switches.stopped = True
    left = a_days_work(agent)
    assert waiting(indexed, agent.id) == 3
    with agent.turn("another") as turn:
        before = turn.search("tea, Kyoto, a secret").summaries
    assert set(before) <= set(left)
    assert left[0] in before
    indexed.pump.switches.stopped = False
    caught_up(indexed, agent.id)
    assert_equal(indexed, agent.id)
    with agent.turn("another") as turn:
        assert turn.search("tea, Kyoto, a secret").summaries == before


def test_what_the_stream_lost_the_sweep_brings(indexed: Indexed, agent: Agent) -> None:
    indexed.pump.switches.losing = True
    a_days_work(agent)
    assert waiting(indexed, agent.id) == 3
    sweep_as_if_overdue(indexed)
    assert waiting(indexed, agent.id) == 0
    assert_equal(indexed, agent.id)


def sweep_as_if_overdue(indexed: Indexed) -> None:
    """The sweep as it will be some minutes from now."""
    import os
    from unittest import mock

    with mock.patch.dict(os.environ, indexed.system.environment):
        from memoir.services import index_commits
        from memoir.wiring import dynamodb, indexing, search_index, settings

        for cached in (settings, dynamodb, indexing, search_index):
            cached.cache_clear()
        with mock.patch.object(index_commits, "OVERDUE_SECONDS", -60):
            while index_commits.sweep(indexing()):
                pass


def test_the_sweep_leaves_alone_what_the_stream_is_about_to_bring(indexed: Indexed, agent: Agent) -> None:
    indexed.pump.switches.stopped = True
    a_days_work(agent)
    indexed.pump.sweep()
    assert waiting(indexed, agent.id) == 3
    assert indexed_documents(indexed, agent.id) == {}


def test_a_record_of_the_stream_that_cannot_be_read_holds_nobody_up(indexed: Indexed, agent: Agent) -> None:
    indexed.pump.switches.losing = True
    a_days_work(agent)
    batch = [stream_record(item, number) for number, item in enumerate(outbox_keys(indexed, agent))]
    poison = {"eventName": "INSERT", "dynamodb": {"Keys": {"sk": {"S": "O#poison"}}, "SequenceNumber": "9"}}
    indexed.pump.longest_pause = 0.05
    indexed.pump.deliver([batch[0], poison, *batch[1:]])
    assert waiting(indexed, agent.id) == 0
    assert_equal(indexed, agent.id)
    letters = (indexed.system.logs / "dead-letters.jsonl").read_text().splitlines()
    assert json.loads(letters[-1]) == poison["dynamodb"]["Keys"]  # type: ignore[index]


def outbox_keys(indexed: Indexed, agent: Agent) -> list[dict[str, Any]]:
    from memoir.schema import OUTBOX_PREFIX
    from tests.integration.documents import items

    return [one for one in items(indexed) if one["sk"].startswith(OUTBOX_PREFIX) and agent.id in one["pk"]]


def stream_record(item: dict[str, Any], number: int) -> dict[str, Any]:
    keys = {"pk": {"S": item["pk"]}, "sk": {"S": item["sk"]}}
    return {"eventName": "INSERT", "dynamodb": {"Keys": keys, "SequenceNumber": str(number)}}


def test_a_removal_and_a_foreign_key_of_the_stream_change_nothing(indexed: Indexed, agent: Agent) -> None:
    indexed.pump.switches.stopped = True
    a_days_work(agent)
    (one, *_) = (stream_record(item, 1) for item in outbox_keys(indexed, agent))
    removal = {**one, "eventName": "REMOVE"}
    other = {"eventName": "INSERT", "dynamodb": {"Keys": {"pk": {"S": "x"}, "sk": {"S": "V#1"}}, "SequenceNumber": "2"}}
    pool = indexed.system.pools[STREAM_INDEXER.name]
    outcome = pool.invoke(json.dumps({"Records": [removal, other]}))
    assert json.loads(outcome.payload) == {"batchItemFailures": []}
    assert waiting(indexed, agent.id) == 3


@pytest.mark.parametrize("side", list(Side))
def test_an_indexer_killed_at_any_request_leaves_nothing_that_the_next_run_does_not_mend(
    indexed: Indexed, side: Side
) -> None:
    died = 0
    for between in (indexed.dynamodb, indexed.opensearch):
        number = 0
        while True:
            agent = Agent(indexed.runtime, harness(labels=LABELS))
            indexed.pump.switches.losing = True
            with agent.turn() as turn:
                first = turn.add("Maya drinks tea", scope="agent")
            with agent.turn() as turn:
                turn.add("Maya drinks coffee", scope="agent", replaces=first)
                turn.add("She lives in Oslo")
            batch = [stream_record(item, n) for n, item in enumerate(outbox_keys(indexed, agent))]
            between.kill_at(number, side)
            pool = indexed.system.pools[STREAM_INDEXER.name]
            outcome = pool.invoke(json.dumps({"Records": batch}))
            survived = between.armed
            between.disarm()
            assert outcome.failed is not survived
            half_way = indexed_documents(indexed, agent.id)
            assert half_way.items() <= expected(indexed, agent.id).items(), "never anything that the tables do not say"
            with agent.turn() as turn:
                assert set(turn.search("Maya tea coffee Oslo").summaries) == {"Maya drinks coffee", "She lives in Oslo"}
            assert json.loads(pool.invoke(json.dumps({"Records": batch})).payload) == {"batchItemFailures": []}
            assert_equal(indexed, agent.id)
            if survived:
                break
            died += 1
            number += 1
    assert died >= 5


def test_s7_dead_records_cost_the_living_no_place_at_once_and_later(indexed: Indexed, agent: Agent) -> None:
    ids = agent.seed([f"the lamp in room {n} is broken" for n in range(30)], scope="agent")
    caught_up(indexed, agent.id)
    indexed.pump.switches.stopped = True
    with agent.turn() as turn:
        for one in ids[:28]:
            turn.delete(one)
    for _ in range(2):
        with agent.turn() as turn:
            found = turn.search("which lamp is broken?", limit=5)
            assert set(found.ids) == set(ids[28:])
        indexed.pump.switches.stopped = False
        caught_up(indexed, agent.id)
    assert_equal(indexed, agent.id)


def test_the_index_that_still_has_a_replaced_record_is_answered_by_its_successor(
    indexed: Indexed, agent: Agent
) -> None:
    old = agent.remember("Maya lives in Lisbon", scope="agent")
    caught_up(indexed, agent.id)
    indexed.pump.switches.losing = True
    with agent.turn() as turn:
        new = turn.add("Maya has moved to Oslo", scope="agent", replaces=old)
    forget_outbox(indexed, agent)
    with agent.turn() as turn:
        found = turn.search("Lisbon")
        assert (found.ids, found.summaries) == ([new], ["Maya has moved to Oslo"])


def forget_outbox(indexed: Indexed, agent: Agent) -> None:
    """As if the index had been told, and had not listened: it is wrong now, and must decide nothing."""
    import boto3

    from memoir.schema import MEMORY_TABLE

    client = boto3.Session("any", "any", region_name="us-east-1").client(
        "dynamodb", endpoint_url=indexed.system.dynamodb_endpoint
    )
    for item in outbox_keys(indexed, agent):
        client.delete_item(TableName=MEMORY_TABLE.name, Key={"pk": {"S": item["pk"]}, "sk": {"S": item["sk"]}})


def test_a_wrong_index_shows_nothing_that_was_deleted(indexed: Indexed, agent: Agent) -> None:
    gone, kept = agent.seed(["the code is ZX-1181-QA", "the door is green"], scope="agent")
    caught_up(indexed, agent.id)
    indexed.pump.switches.losing = True
    with agent.turn() as turn:
        turn.delete(gone)
    forget_outbox(indexed, agent)
    with agent.turn(new_id()) as turn:
        assert turn.search("ZX-1181-QA the door").ids == [kept]
