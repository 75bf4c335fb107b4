"""Records, what a turn makes of them, and what its commit writes (SPEC §3, §4)."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoir.domain.changes import ChangeSet, build_changes
from memoir.domain.config import ScopeName
from memoir.domain.errors import Conflict
from memoir.domain.record import CONTENT_BYTES, SUMMARY_BYTES, Record, Scope, Status, duplicate_key, text_faults
from memoir.domain.staging import StagedAdd, StagedChange, StagedDelete, StagedView
from memoir.domain.visibility import Reach
from tests.builders import AGENT, EXECUTION, NOW, record

LATER = "2026-12-01T10:00:00.000Z"
KEY = b"secret"


@pytest.mark.parametrize(
    ("summary", "content", "told"),
    [
        ("", "", "empty"),
        ("  \t", "", "empty"),
        ("x" * (SUMMARY_BYTES + 1), "", str(SUMMARY_BYTES)),
        ("é" * (SUMMARY_BYTES // 2 + 1), "", "bytes"),
        ("two\nlines", "", "one line"),
        ("nul\x00", "", "U+0000"),
        ("a\u2028b", "", "U+2028"),
        ("fine", "x" * (CONTENT_BYTES + 1), str(CONTENT_BYTES)),
    ],
)
def test_a_text_out_of_bounds_is_told_with_its_limit(summary: str, content: str, told: str) -> None:
    (fault,) = text_faults(summary, content)
    assert told in fault


def test_a_text_at_its_limits_is_fine() -> None:
    assert text_faults("é" * (SUMMARY_BYTES // 2), "x" * CONTENT_BYTES) == []


def test_versions_only_grow_and_times_never_go_back() -> None:
    dead = record().deleted("2020-01-01T00:00:00.000Z", "user:maria")
    assert (dead.version, dead.status, dead.modified) == (2, Status.DELETED, NOW)
    assert dead.deleted(LATER, "user:maria") is dead
    assert dead.at_version(1) == record()
    assert dead.at_version(3) is None


def test_a_replaced_record_that_is_deleted_keeps_its_successor() -> None:
    gone = record().superseded("b", LATER, "u").deleted(LATER, "u")
    assert (gone.status, gone.replaced_by, gone.version) == (Status.DELETED, "b", 3)


@pytest.mark.parametrize(
    "same",
    [{"summary": "Maya  drinks\ttea "}, {"kind": "event"}, {"created": LATER}, {"session_id": "another"}],
)
def test_white_space_kind_time_and_session_make_no_other_fact(same: dict[str, str]) -> None:
    assert duplicate_key(replace(record(), **same), KEY) == duplicate_key(record(), KEY)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "other",
    [
        {"summary": "maya drinks tea"},
        {"content": "x"},
        {"labels": ((5, "a"),)},
        {"scope": Scope.SESSION},
        {"preview": True},
    ],
)
def test_text_labels_scope_and_preview_make_another_fact(other: dict[str, object]) -> None:
    assert duplicate_key(replace(record(), **other), KEY) != duplicate_key(record(), KEY)  # type: ignore[arg-type]


def test_the_same_fact_in_two_sessions_is_two_facts() -> None:
    mine = record(scope=Scope.SESSION)
    assert duplicate_key(mine, KEY) != duplicate_key(replace(mine, session_id="t"), KEY)


@pytest.mark.parametrize("session", ["s", "t", None])
@pytest.mark.parametrize("scopes", [{ScopeName.AGENT}, {ScopeName.SESSION}, {ScopeName.AGENT, ScopeName.SESSION}])
def test_a_reach_holds_its_scopes_and_nobody_elses(session: str | None, scopes: set[ScopeName]) -> None:
    reach = Reach(AGENT, session, frozenset(scopes))
    assert reach.holds(record()) is (ScopeName.AGENT in scopes)
    assert reach.holds(record(scope=Scope.SESSION)) is (ScopeName.SESSION in scopes and session == "s")
    assert not reach.holds(record(action_id=EXECUTION))
    assert not reach.holds(record(preview=True))
    assert not reach.finds(record().deleted(LATER, "u"))


def staged(summary: str, replaces: str | None = None, **changed: object) -> StagedAdd:
    made = record(summary, created="", replaces=replaces, **changed)
    return StagedAdd(f"call {summary}", made, duplicate_key(made, KEY))


def build(changes: list[StagedChange], *heads: Record) -> ChangeSet:
    by_id = {one.memory_id: one for one in heads}
    holders = {duplicate_key(one, KEY): one.memory_id for one in heads}
    return build_changes(changes, by_id, holders, LATER, "user:maria")


def test_an_add_is_written_with_the_commits_time_and_its_lock() -> None:
    made = build([staged("tea")])
    (written,) = made.written
    assert (written.created, written.modified, written.version) == (LATER, LATER, 1)
    (lock,) = made.locks
    assert (lock.memory_id, lock.expected) == (written.memory_id, None)


def test_a_replacement_supersedes_in_the_same_commit() -> None:
    old = record("tea")
    made = build([staged("coffee", replaces=old.memory_id)], old)
    (update,) = made.updates
    assert update.before == old
    assert (update.after.status, update.after.replaced_by) == (Status.SUPERSEDED, made.written[0].memory_id)


def test_a_fact_that_is_there_already_is_skipped_and_named() -> None:
    old = record("tea", memory_id=EXECUTION)
    made = build([staged("tea")], old)
    assert made == ChangeSet(skips=made.skips)
    assert [skip.existing_id for skip in made.skips] == [EXECUTION]


def test_a_fact_whose_holder_is_dead_takes_its_lock() -> None:
    old = record("tea", memory_id=EXECUTION).deleted(NOW, "u")
    (lock,) = build([staged("tea")], old).locks
    assert lock.expected == EXECUTION


@pytest.mark.parametrize("dead", [record("old").deleted(NOW, "u"), record("old").superseded("new-id", NOW, "u")])
def test_replacing_what_another_turn_changed_is_a_conflict_that_names_it(dead: Record) -> None:
    with pytest.raises(Conflict, match=dead.memory_id):
        build([staged("new", replaces=dead.memory_id)], dead)


def test_the_same_fact_of_another_kind_is_a_conflict() -> None:
    with pytest.raises(Conflict, match="replaces"):
        build([staged("tea", kind="event")], record("tea", memory_id=EXECUTION))


def test_a_record_added_and_deleted_in_one_turn_ends_deleted() -> None:
    add = staged("tea")
    (written,) = build([add, StagedDelete("d", add.record.memory_id)]).written
    assert (written.status, written.version, written.created) == (Status.DELETED, 2, LATER)


def test_a_skipped_record_that_is_deleted_deletes_the_one_that_is_there() -> None:
    old = record("tea", memory_id=EXECUTION)
    add = staged("tea")
    (update,) = build([add, StagedDelete("d", add.record.memory_id)], old).updates
    assert (update.after.memory_id, update.after.status) == (EXECUTION, Status.DELETED)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.sampled_from("ard"), st.integers(0, 5)), max_size=12))
def test_what_a_turn_sees_is_what_its_commit_writes(steps: list[tuple[str, int]]) -> None:
    stored = {f"old {n}": record(f"old {n}") for n in range(3)}
    live = {one.memory_id: one for one in stored.values()}
    changes: list[StagedChange] = []
    for number, (kind, place) in enumerate(steps):
        ids = [one for one in sorted(live) if live[one].active]
        target = ids[place % len(ids)] if ids else None
        if kind == "a" or target is None:
            changes.append(staged(f"new {number}"))
        elif kind == "r":
            changes.append(staged(f"new {number}", replaces=target))
        else:
            changes.append(StagedDelete(f"call {number}", target))
        view = StagedView(tuple(changes), LATER, "user:maria")
        live = {one.memory_id: view.apply(one) for one in stored.values()} | dict(view.added())
    made = build(changes, *stored.values())
    after = {one.memory_id: one for one in stored.values()} | {one.memory_id: one for one in made.changed}
    view = StagedView(tuple(changes), LATER, "user:maria")
    seen = {one.memory_id: view.apply(one) for one in stored.values()} | dict(view.added())
    assert {one: (r.status, r.replaced_by, r.version) for one, r in after.items()} == {
        one: (r.status, r.replaced_by, r.version) for one, r in seen.items()
    }
