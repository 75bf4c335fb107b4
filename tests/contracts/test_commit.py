"""``TurnStore.commit`` and ``RecordStore``: everything of a turn, or nothing (SPEC §3, §4)."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from memoir.domain.changes import ChangeSet, Lock, Update
from memoir.domain.pins import PinList, Pins
from memoir.domain.record import Record, RecordVector, Scope
from memoir.domain.turn import AttemptId, AttemptStatus, Listed, Place
from memoir.domain.vectors import normalise
from memoir.ports import Commit, PinChange, Raced, Row
from tests.builders import AGENT, EXECUTION, attempt, execution, record, session
from tests.contracts.conftest import Stores
from tests.contracts.test_turns import begin, loaded

LATER = "2026-12-01T09:00:01.000Z"
FIRST = AttemptId(EXECUTION, 1)
TEA, COFFEE = record("Maya drinks tea"), record("Maya drinks coffee")


def commit(*written: Record, **changed: object) -> Commit:
    locks = tuple(Lock(f"lock of {one.summary}", one.memory_id, None) for one in written)
    made = Commit(
        execution=execution(),
        attempt=attempt(),
        session=session(),
        changes=ChangeSet(written=written, locks=locks),
        listed=None,
        outbox_id="00000000-0000-7000-8000-000000000001",
        now=LATER,
        outcome={"written": [[one.memory_id, 1] for one in written]},
    )
    return replace(made, **changed)  # type: ignore[arg-type]


def known(stores: Stores, *records: Record) -> Mapping[str, Record]:
    return stores.records.get(AGENT, [one.memory_id for one in records])


def next_turn(stores: Stores, number: int = 2) -> Commit:
    """Begin another turn of the session; a commit of it without changes."""
    name = f"00000000-0000-4000-8000-{number:012x}"
    before = stores.turns.session(AGENT, "s")
    assert before is not None
    me = AttemptId(name, 1)
    after = replace(before.held(me, preview=False), next_turn=before.next_turn + 1)
    run, new = execution(execution_id=name, turn=number), attempt(id=me, as_of=before.commits)
    begin(stores.turns, execution=run, attempt=new, session=after, session_before=before)
    return commit(
        execution=run,
        attempt=new,
        session=after,
        outbox_id=f"00000000-0000-7000-8000-{number:012x}",
    )


def test_a_commit_ends_the_attempt_frees_the_session_and_keeps_its_outcome(stores: Stores) -> None:
    begin(stores.turns)
    made = commit(TEA, listed=(Listed("x", ((TEA.memory_id, 1),)),))
    stores.turns.commit(made)
    after = loaded(stores.turns).attempt
    assert (after.status, after.outcome, after.last_call) == (AttemptStatus.COMMITTED, made.outcome, LATER)
    freed = Place(None, (FIRST,))
    assert stores.turns.session(AGENT, "s") == session(live=freed, preview=freed, commits=1, last_commit=LATER)
    assert stores.turns.listed(AGENT, "s") == made.listed


def test_a_record_comes_back_as_it_was_committed(stores: Stores) -> None:
    begin(stores.turns)
    full = record(
        "é 日本 \U0001f375 #1",
        content="line\nline\n" * 800,
        labels=((5, "C-1"), (6, "T/1")),
        scope=Scope.SESSION,
        vector=RecordVector("m", normalise([1.0, 2.0, 3.0])),
        metadata={"a": [1, None]},
    )
    stores.turns.commit(commit(full))
    (found,) = known(stores, full).values()
    assert replace(found, vector=None) == replace(full, vector=None)
    assert found.vector is not None
    assert found.vector.model == "m"
    assert found.vector.values == pytest.approx(normalise([1.0, 2.0, 3.0]), abs=1e-3)


def test_records_of_another_agent_are_not_there(stores: Stores) -> None:
    begin(stores.turns)
    stores.turns.commit(commit(TEA))
    assert stores.records.get(EXECUTION, [TEA.memory_id]) == {}
    assert stores.records.get(AGENT, []) == {}


def test_a_hundred_and_more_records_are_read_by_id(stores: Stores) -> None:
    begin(stores.turns)
    several = [record(f"fact {n}") for n in range(30)]
    stores.turns.commit(commit(*several))
    asked = [one.memory_id for one in several] + [record(f"unknown {n}").memory_id for n in range(250)]
    assert set(stores.records.get(AGENT, asked)) == {one.memory_id for one in several}


@pytest.mark.parametrize(
    "wrong",
    [
        {"attempt": attempt(next_sequence=3)},
        {"session": session(commits=1)},
        {"changes": ChangeSet(locks=(Lock("k", TEA.memory_id, "another"),))},
        {"changes": ChangeSet(updates=(Update(COFFEE, COFFEE.deleted(LATER, "u")),))},
    ],
    ids=["attempt", "session", "lock", "record"],
)
def test_a_commit_whose_premises_moved_writes_nothing(stores: Stores, wrong: dict[str, object]) -> None:
    begin(stores.turns)
    made = commit(TEA, **wrong)
    with pytest.raises(Raced):
        stores.turns.commit(replace(made, changes=replace(made.changes, written=(TEA,))))
    assert loaded(stores.turns).attempt.status is AttemptStatus.OPEN
    assert known(stores, TEA) == {}
    assert stores.records.overlay(AGENT, "s", agent=True).memory_ids == ()
    assert stores.turns.session(AGENT, "s") == session()


def test_a_commit_is_made_once(stores: Stores) -> None:
    begin(stores.turns)
    stores.turns.commit(commit(TEA))
    with pytest.raises(Raced):
        stores.turns.commit(commit(COFFEE))
    assert known(stores, COFFEE) == {}


def test_a_lock_is_held_by_the_record_that_took_it_last(stores: Stores) -> None:
    begin(stores.turns)
    stores.turns.commit(commit(TEA))
    lock = "lock of Maya drinks tea"
    assert stores.records.holders([lock, "another"]) == {lock: TEA.memory_id}
    taken = replace(next_turn(stores), changes=ChangeSet((COFFEE,), locks=(Lock(lock, COFFEE.memory_id, None),)))
    with pytest.raises(Raced):
        stores.turns.commit(taken)
    passed = Lock(lock, COFFEE.memory_id, TEA.memory_id)
    stores.turns.commit(replace(taken, changes=ChangeSet((COFFEE,), locks=(passed,))))
    assert stores.records.holders([lock]) == {lock: COFFEE.memory_id}


def test_an_update_holds_only_for_the_version_that_was_read(stores: Stores) -> None:
    begin(stores.turns)
    stores.turns.commit(commit(TEA))
    dead = TEA.deleted(LATER, "user:maria")
    stores.turns.commit(replace(next_turn(stores), changes=ChangeSet(updates=(Update(TEA, dead),))))
    assert known(stores, TEA) == {TEA.memory_id: dead}
    again = Update(TEA, TEA.superseded(COFFEE.memory_id, LATER, "user:maria"))
    with pytest.raises(Raced):
        stores.turns.commit(replace(next_turn(stores, 3), changes=ChangeSet(updates=(again,))))
    assert known(stores, TEA) == {TEA.memory_id: dead}


def test_a_list_holds_the_active_records_of_its_scope_newest_first(stores: Stores) -> None:
    begin(stores.turns)
    ours = [record(f"fact {n}", created=f"2026-12-01T09:00:0{n}.000Z") for n in range(5)]
    private = record("private", scope=Scope.SESSION)
    stores.turns.commit(commit(*ours, private))
    rows = [Row(one.created, one.memory_id) for one in reversed(ours)]
    assert stores.records.newest(AGENT, None, None, 10) == rows
    assert stores.records.newest(AGENT, None, None, 2) == rows[:2]
    assert stores.records.newest(AGENT, None, rows[1], 2) == rows[2:4]
    assert stores.records.newest(AGENT, "s", None, 10) == [Row(private.created, private.memory_id)]
    assert stores.records.newest(AGENT, "another", None, 10) == []
    dead = ours[4].deleted(LATER, "user:maria")
    stores.turns.commit(replace(next_turn(stores), changes=ChangeSet(updates=(Update(ours[4], dead),))))
    assert stores.records.newest(AGENT, None, None, 10) == rows[1:]


def test_what_commits_changed_is_told_to_those_who_may_see_it(stores: Stores) -> None:
    begin(stores.turns)
    private = record("private", scope=Scope.SESSION)
    stores.turns.commit(commit(TEA, private))
    mine = stores.records.overlay(AGENT, "s", agent=True)
    assert set(mine.memory_ids) == {TEA.memory_id, private.memory_id}
    assert {row.memory_id for row in mine.added} == set(mine.memory_ids)
    assert stores.records.overlay(AGENT, "another", agent=True).memory_ids == (TEA.memory_id,)
    assert stores.records.overlay(AGENT, "another", agent=False).memory_ids == ()
    assert mine.behind is False
    dead = TEA.deleted(LATER, "user:maria")
    stores.turns.commit(replace(next_turn(stores), changes=ChangeSet(updates=(Update(TEA, dead),))))
    later = stores.records.overlay(AGENT, "another", agent=True)
    assert later.memory_ids == (TEA.memory_id,)


def test_a_vector_may_come_later_and_leaves_the_version(stores: Stores) -> None:
    begin(stores.turns)
    stores.turns.commit(commit(TEA))
    stores.records.attach_vector(TEA, RecordVector("m", normalise([1.0, 0.0])))
    (found,) = known(stores, TEA).values()
    assert (found.version, found.vector) == (1, RecordVector("m", (1.0, 0.0)))
    with pytest.raises(Raced):
        stores.records.attach_vector(COFFEE, RecordVector("m", (1.0, 0.0)))
    assert known(stores, COFFEE) == {}


def test_pin_lists_change_only_while_both_are_as_read(stores: Stores) -> None:
    begin(stores.turns)
    empty = stores.records.pins(AGENT, "s")
    assert empty == Pins()
    first = empty.after([], [TEA])
    stores.turns.commit(commit(TEA, pins=PinChange(empty, first)))
    assert stores.records.pins(AGENT, "s") == first
    assert stores.records.pins(AGENT, "another").session == PinList()
    private = record("private", scope=Scope.SESSION)
    stale = replace(next_turn(stores), pins=PinChange(empty, empty.after([], [private])))
    with pytest.raises(Raced):
        stores.turns.commit(stale)
    assert stores.records.pins(AGENT, "s") == first
    second = first.after([], [private])
    stores.turns.commit(replace(stale, pins=PinChange(first, second)))
    third = second.after([TEA.memory_id], [])
    stores.turns.commit(replace(next_turn(stores, 3), pins=PinChange(second, third)))
    assert stores.records.pins(AGENT, "s") == third
    assert list(third.agent.costs) == []
