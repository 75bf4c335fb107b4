"""When a review is due, what it looks at, and how its model's answers are read (SPEC §7, §9)."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoir.domain.config import ExtractionConfig, MessageCount
from memoir.domain.errors import ReviewFault
from memoir.domain.events import EventType
from memoir.domain.pending import MAX_PENDING, Pending
from memoir.domain.plan import Candidates, parse_answer
from memoir.domain.record import Change, Status
from memoir.domain.turn import Event
from memoir.domain.visibility import in_actions_list
from memoir.domain.window import WINDOW_CHARACTERS, Line, Window, lines_of, messages_in
from tests.builders import NOW, record

EVERY_SIX = ExtractionConfig(every=MessageCount(messages=6))


def test_a_review_is_due_each_turn_or_once_enough_was_said() -> None:
    assert Pending().due(None, 1)
    assert Pending().due(ExtractionConfig(), 1)
    assert not Pending(messages=3).due(EVERY_SIX, 2)
    assert Pending(messages=4).due(EVERY_SIX, 2)
    assert Pending(tuple(range(MAX_PENDING))).due(EVERY_SIX, 0), "the list of turns that wait has an end"


def test_a_failed_window_comes_again_and_is_given_up_after_the_third_time() -> None:
    once = Pending((1,), 0, 2).failed(2, 2)
    assert once == Pending((1, 2), 0, 4, 1)
    assert once.failed(3, 2).failures == 2
    assert once.failed(3, 2).failed(4, 2) == Pending()


@given(sizes=st.lists(st.integers(min_value=1, max_value=WINDOW_CHARACTERS), max_size=8))
def test_windows_lose_no_line_and_keep_within_their_size(sizes: list[int]) -> None:
    lines = [Line(n, 1, "user", "x" * size) for n, size in enumerate(sizes)]
    window = Window.over(lines)
    assert [*window.lines, *window.rest] == lines
    assert sum(len(line.text) for line in window.lines) <= WINDOW_CHARACTERS
    assert bool(window.lines) == bool(lines)


def test_what_is_left_begins_behind_what_was_reviewed() -> None:
    lines = [Line(4, 7, "user", "x" * 40_000), Line(4, 9, "agent", "y" * 40_000), Line(5, 1, "user", "z")]
    assert Window.over(lines).left(2) == Pending((4, 5), 8, 2)


def test_only_the_main_conversation_is_looked_at() -> None:
    block = '<memory-abc source="recall">\n- [id=1] tea\n</memory-abc>'
    events = [
        Event(1, EventType.MESSAGE, None, {"text": f"{block} hello"}),
        Event(2, EventType.SYSTEM, None, {"text": "settings"}),
        Event(3, EventType.TOOL_RESULT, None, {"name": "search_memory", "output": "tea"}),
        Event(4, EventType.TOOL_ERROR, None, {"name": "get", "error": "gone"}),
        Event(5, EventType.REPLY, "helper", {"text": "inner"}),
        Event(6, EventType.REPLY, None, {"text": "bye"}),
    ]
    assert [(line.speaker, line.text) for line in lines_of(1, events)] == [
        ("user", "hello"),
        ("tool get, error", "gone"),
        ("agent", "bye"),
    ]
    assert messages_in(events) == 2


@given(text=st.text())
def test_no_text_ends_the_list_of_lines(text: str) -> None:
    rendered = Window((Line(1, 1, "user", text),), ()).render()
    (row,) = rendered.split("\n")
    assert json.loads(row)["text"] == text


@given(text=st.text())
def test_any_answer_is_understood_or_a_fault(text: str) -> None:
    with suppress(ReviewFault):
        assert isinstance(parse_answer(Candidates, text), Candidates)


@pytest.mark.parametrize(("status", "preview", "replaces", "listed"), [
    (Status.ACTIVE, False, None, True),
    (Status.ACTIVE, True, None, True),
    (Status.DELETED, False, None, False),
    (Status.DELETED, True, None, False),
    (Status.DELETED, True, "00000000-0000-7000-8000-000000000001", True),
    (Status.SUPERSEDED, True, "00000000-0000-7000-8000-000000000001", False),
])  # fmt: skip
def test_the_list_of_an_action_holds_both_modes_and_preview_deletions(
    status: Status, preview: bool, replaces: str | None, listed: bool
) -> None:
    one = record(preview=preview, replaces=replaces, changes=(Change(status, False, None, NOW, "u"),))
    assert in_actions_list(one) is listed


def test_a_preview_record_that_was_deleted_later_is_no_preview_deletion() -> None:
    live = "00000000-0000-7000-8000-000000000001"
    assert not in_actions_list(record(preview=True, replaces=live).deleted(NOW, "u"))
