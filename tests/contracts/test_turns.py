"""``TurnStore``: attempts, sessions and transcripts; a condition that fails writes nothing (SPEC §4)."""

from dataclasses import replace

import pytest

from memoir.domain.events import EventType
from memoir.domain.turn import Append, AttemptId, AttemptStatus, Call, CallStatus, Drop, Event, Place, Usage
from memoir.ports import Beginning, LoadedTurn, Raced, TurnStore
from tests.builders import AGENT, EXECUTION, attempt, execution, session
from tests.contracts.conftest import Stores

LATER = "2026-12-01T09:00:01.000Z"
FIRST = AttemptId(EXECUTION, 1)
MESSAGE = Event(1, EventType.MESSAGE, None, {"text": "hello"})


def begin(turns: TurnStore, **changed: object) -> None:
    made = Beginning(execution(), attempt(), session(), None, (), (MESSAGE,))
    turns.begin(replace(made, **changed))  # type: ignore[arg-type]


def loaded(turns: TurnStore, number: int = 1) -> LoadedTurn:
    found = turns.load(AttemptId(EXECUTION, number))
    assert found is not None
    return found


def tool_call(call_id: str = "c", sequence: int = 2, **changed: object) -> Call:
    made = Call(
        call_id, "tool", EXECUTION, "search_memory", sequence, "mark", CallStatus.COMPLETED, {"records": []}, {}
    )
    return replace(made, **changed)  # type: ignore[arg-type]


def result(sequence: int, text: str = "done", helper: str | None = None) -> Event:
    return Event(sequence, EventType.TOOL_RESULT, helper, {"callId": "c", "name": "n", "output": text})


def test_what_was_never_begun_is_nothing(stores: Stores) -> None:
    assert stores.turns.load(FIRST) is None
    assert stores.turns.find(FIRST) == (None, None)
    assert stores.turns.session(AGENT, "s") is None
    assert stores.turns.listed(AGENT, "s") == ()
    assert stores.turns.opening(FIRST) is None
    assert stores.turns.newest_events(FIRST, 5) == []


def test_an_attempt_comes_back_with_its_execution_session_and_message(stores: Stores) -> None:
    begin(stores.turns)
    assert stores.turns.find(FIRST) == (execution(), attempt())
    assert loaded(stores.turns) == LoadedTurn(execution(), attempt(), ())
    assert stores.turns.session(AGENT, "s") == session()
    assert stores.turns.opening(FIRST) == MESSAGE


@pytest.mark.parametrize("name", ["s", "*", "a#b", "a/b", "é 日本", "%23", "S#x"])
def test_any_name_is_a_session_of_its_own(stores: Stores, name: str) -> None:
    begin(stores.turns, execution=execution(session_id=name), session=session(session_id=name))
    assert stores.turns.session(AGENT, name) == session(session_id=name)
    assert stores.turns.session(AGENT, f"{name} ") is None


def test_a_turn_without_a_session_has_none(stores: Stores) -> None:
    begin(stores.turns, execution=execution(session_id=None, turn=None), session=None)
    assert loaded(stores.turns).execution.session_id is None


def test_an_execution_begins_once(stores: Stores) -> None:
    begin(stores.turns)
    with pytest.raises(Raced):
        begin(stores.turns, session=session(next_turn=3), session_before=session())
    assert stores.turns.session(AGENT, "s") == session()


def test_a_session_that_moved_lets_no_turn_begin(stores: Stores) -> None:
    begin(stores.turns)
    other = execution(execution_id=AGENT)
    with pytest.raises(Raced):
        begin(stores.turns, execution=other, attempt=attempt(id=AttemptId(AGENT, 1)), session_before=session(commits=1))
    assert stores.turns.find(AttemptId(AGENT, 1)) == (None, None)


def test_a_retry_takes_the_place_of_the_open_attempt(stores: Stores) -> None:
    begin(stores.turns)
    again = session(live=Place(AttemptId(EXECUTION, 2)))
    begin(
        stores.turns,
        execution=execution(invocation=2),
        attempt=attempt(2),
        session=again,
        session_before=session(),
        abandon=(FIRST,),
    )
    _, before = stores.turns.find(FIRST)
    assert before is not None
    assert before.status is AttemptStatus.ABANDONED
    assert EXECUTION in str(before.reason)
    assert stores.turns.session(AGENT, "s") == again


def test_an_attempt_that_has_ended_is_not_abandoned(stores: Stores) -> None:
    begin(stores.turns)
    stores.turns.close(loaded(stores.turns), AttemptStatus.ROLLED_BACK, LATER)
    with pytest.raises(Raced):
        begin(
            stores.turns,
            execution=execution(invocation=2),
            attempt=attempt(2),
            session_before=session(live=Place()),
            abandon=(FIRST,),
        )
    assert stores.turns.find(AttemptId(EXECUTION, 2))[1] is None


def test_a_call_is_logged_with_its_event_and_moves_the_sequence(stores: Stores) -> None:
    begin(stores.turns)
    call = tool_call(usage=Usage("embed", "m", 3), input={"query": "é"}, helper="h")
    stores.turns.record(attempt(), call, [result(2)], LATER)
    found = loaded(stores.turns)
    assert found.calls == (call,)
    assert (found.attempt.next_sequence, found.attempt.last_call) == (3, LATER)
    assert stores.turns.newest_events(FIRST, 1) == [result(2)]


def test_a_call_is_logged_once_and_a_recall_of_the_same_name_beside_it(stores: Stores) -> None:
    begin(stores.turns)
    stores.turns.record(attempt(), tool_call(), [result(2)], LATER)
    with pytest.raises(Raced):
        stores.turns.record(attempt(next_sequence=3), tool_call(sequence=3), [result(3)], LATER)
    stores.turns.record(attempt(next_sequence=3), tool_call(sequence=3, kind="recall"), [], LATER)
    assert [call.kind for call in loaded(stores.turns).calls] == ["tool", "recall"]


def test_a_call_of_an_attempt_that_moved_on_is_not_logged(stores: Stores) -> None:
    begin(stores.turns)
    stores.turns.record(attempt(), tool_call(), [result(2)], LATER)
    with pytest.raises(Raced):
        stores.turns.record(attempt(), tool_call("d"), [result(2, "another")], LATER)
    assert [event.body["output"] for event in stores.turns.newest_events(FIRST, 1)] == ["done"]


def test_a_call_larger_than_an_item_comes_back_though_perhaps_without_its_input(stores: Stores) -> None:
    begin(stores.turns)
    large = tool_call(input={"text": "".join(chr(0x4E00 + n * 7 % 20_000) for n in range(300_000))})
    stores.turns.record(attempt(), large, [], LATER)
    (found,) = loaded(stores.turns).calls
    assert replace(found, input={}) == replace(large, input={})


def test_the_log_is_in_the_order_of_sequences(stores: Stores) -> None:
    begin(stores.turns)
    for sequence in range(2, 13):
        name = f"{(sequence * 7) % 11}"
        stores.turns.record(attempt(next_sequence=sequence), tool_call(name, sequence), [result(sequence)], LATER)
    assert [entry.sequence for entry in loaded(stores.turns).log] == list(range(2, 13))


@pytest.mark.parametrize("count", [1, 79, 80, 81, 500])
def test_an_append_of_any_size_is_stored_whole_with_its_drops(stores: Stores, count: int) -> None:
    begin(stores.turns)
    append = Append("a/1", 2, 1 + count, "mark", stored=False)
    events = [result(sequence, f"text {sequence}") for sequence in range(2, 2 + count)]
    drop = Drop("a/1", 2, None, ("x", "y"))
    stores.turns.append(attempt(), append, events, [drop], LATER)
    assert stores.turns.find_append(FIRST, "a/1") == replace(append, stored=True)
    assert stores.turns.unfinished_appends(FIRST) == []
    found = loaded(stores.turns)
    assert (found.attempt.next_sequence, found.attempt.pending) == (2 + count, 0)
    assert found.log == (drop,)
    assert stores.turns.newest_events(FIRST, count) == events[::-1]


def test_an_append_is_reserved_once(stores: Stores) -> None:
    begin(stores.turns)
    append = Append("a", 2, 2, "mark", stored=False)
    stores.turns.append(attempt(), append, [result(2)], [], LATER)
    with pytest.raises(Raced):
        stores.turns.append(attempt(next_sequence=3), replace(append, first=3, last=3), [result(3)], [], LATER)
    assert loaded(stores.turns).attempt.next_sequence == 3


def test_the_last_reply_of_each_conversation_is_known(stores: Stores) -> None:
    begin(stores.turns)
    events = [
        Event(n, EventType.REPLY, helper, {"text": "x"}) for n, helper in enumerate((None, "h", None, "h", "i"), 2)
    ]
    stores.turns.append(attempt(), Append("a", 2, 6, "mark", stored=False), events, [], LATER)
    assert stores.turns.replies(FIRST) == {None: 4, "h": 5, "i": 6}


def test_closing_frees_the_session_and_keeps_why(stores: Stores) -> None:
    begin(stores.turns)
    stores.turns.close(
        loaded(stores.turns), AttemptStatus.ROLLED_BACK, LATER, reason="no more", outcome={"code": "CONFLICT"}
    )
    after = loaded(stores.turns).attempt
    assert (after.status, after.reason, after.outcome) == (AttemptStatus.ROLLED_BACK, "no more", {"code": "CONFLICT"})
    assert stores.turns.session(AGENT, "s") == session(live=Place())
    with pytest.raises(Raced):
        stores.turns.close(loaded(stores.turns), AttemptStatus.ROLLED_BACK, LATER)
