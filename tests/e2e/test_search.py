"""Searching: ranked by query, listed in pages, read by ids, filtered exactly (SPEC §5)."""

from typing import Any

import pytest

from tests.e2e.driver import Agent, Json, Runtime, Turn, ids, lexical, new_id

LABELS = {
    "customer": {"number": 5, "description": "The customer."},
    "ticket": {"number": 6, "description": "The ticket."},
}


@pytest.fixture
def words(runtime: Runtime) -> Agent:
    return Agent(runtime, lexical(labels=LABELS))


@pytest.fixture(scope="module")
def stocked(runtime: Runtime) -> Agent:
    """26 records of agent scope, three of them about wombats, and one of a session; tests only read them."""
    agent = Agent(runtime, lexical(labels=LABELS))
    agent.seed([f"fact number {n}" for n in range(20)], scope="agent")
    with agent.turn() as turn:
        turn.add("wombat one", "fact", labels={"customer": "C-1", "ticket": "T-1"}, scope="agent")
        turn.add("wombat two", "event", labels={"customer": "C-1", "ticket": "T-2"}, scope="agent")
        turn.add("wombat three", "event", labels={"customer": "C-2", "ticket": "T-1"}, scope="agent")
        turn.add("badger one", "event", labels={"customer": "C-1", "ticket": "T-1"}, scope="agent")
    agent.seed(["fact the last", "fact the very last"], scope="agent")
    agent.remember("session fact", session="look")
    return agent


@pytest.fixture(scope="module")
def look(stocked: Agent) -> Turn:
    """A turn of the stocked agent that changes nothing."""
    return stocked.begin("look")


def newest_first(entries: list[Json]) -> bool:
    keys = [(entry["created"], entry["memoryId"]) for entry in entries]
    return keys == sorted(keys, reverse=True)


# Lists.


def test_a_list_comes_newest_first_each_record_once(stocked: Agent, look: Turn) -> None:
    assert stocked.visible(new_id()) == [s for s in look.listed_summaries() if s != "session fact"]
    pages = list(look.walk(limit=7))
    entries = [entry for page in pages for entry in page]
    assert [len(page) for page in pages] == [7] * 3 + [6]
    assert newest_first(entries)
    assert len(set(ids(entries))) == 27


@pytest.mark.parametrize("blank", [{}, {"query": ""}, {"query": " \t\n"}, {"query": "\u3000"}])
def test_without_a_query_or_with_white_space_records_are_listed_ten_a_page(look: Turn, blank: Json) -> None:
    reply = look.done("search_memory", **blank)
    assert len(reply.sources) == 10
    assert reply.sources[0]["summary"] == "session fact"
    assert newest_first(reply.sources)
    assert isinstance(reply.output["next"], str)


def test_the_last_page_has_no_next(look: Turn) -> None:
    assert look.search(kind="event", limit=3).output["next"] is None
    assert look.search(kind="event", limit=2).output["next"] is not None


@pytest.mark.parametrize("limit", [1, 50])
def test_a_limit_of_1_to_50_is_kept(look: Turn, limit: int) -> None:
    assert len(look.search(limit=limit).ids) == min(limit, 27)
    assert len(look.search("fact", limit=limit).ids) == min(limit, 23)


@pytest.mark.parametrize("limit", [0, -1, 51, 1000, 2.5, True])
@pytest.mark.parametrize("query", [{}, {"query": "fact"}])
def test_a_limit_out_of_bounds_fails(look: Turn, limit: Any, query: Json) -> None:
    assert "limit" in look.refused("search_memory", limit=limit, **query)


def test_a_walk_gives_each_lasting_record_once_while_others_come_and_go(words: Agent) -> None:
    lasting = words.seed([f"lasting {n}" for n in range(15)], scope="agent")
    passing = words.seed([f"passing {n}" for n in range(15)], scope="agent")
    order = sorted(lasting + passing)
    reader = words.begin("reader")
    seen: list[str] = []
    after: Json = {}
    for step in range(100):
        page = reader.search(limit=7, **after)
        seen += page.ids
        if page.output["next"] is None:
            break
        after = {"after": page.output["next"]}
        with words.turn("writer") as writer:
            writer.add(f"newcomer {step}", scope="agent")
            writer.delete(passing[step * 3])
            writer.delete(passing[-1 - step * 3])
        if page.ids[-1] in passing:
            with words.turn("writer") as writer:
                writer.delete(page.ids[-1])
    assert len(seen) == len(set(seen))
    assert [i for i in seen if i in lasting] == [i for i in reversed(order) if i in lasting]


def test_staged_records_stand_before_committed_ones(words: Agent) -> None:
    kept = words.seed(["one", "two", "three"])
    turn = words.begin()
    staged = [turn.add("four"), turn.add("five"), turn.add("six", replaces=kept[1])]
    assert [ids(page) for page in turn.walk(limit=2)] == [
        [staged[2], staged[1]], [staged[0], kept[2]], [kept[0]],
    ]  # fmt: skip


# Cursors.


def first_cursor(turn: Turn, **filters: Any) -> str:
    return str(turn.search(limit=1, **filters).output["next"])


@pytest.mark.parametrize("fields", [{"query": "fact"}, {"ids": [new_id()]}])
def test_a_cursor_with_a_query_or_ids_fails(look: Turn, fields: Json) -> None:
    assert "after" in look.refused("search_memory", after=first_cursor(look), **fields)


def test_a_cursor_may_be_used_in_a_later_turn_and_with_another_limit(stocked: Agent) -> None:
    with stocked.turn("reader") as turn:
        everything = ids(turn.listed())
        cursor = first_cursor(turn)
    with stocked.turn("reader") as turn:
        assert turn.search(after=cursor, limit=3).ids == everything[1:4]


# By ids.


def test_ids_are_read_in_the_order_asked_and_the_rest_is_missing(look: Turn) -> None:
    some = ids(look.listed())[:3]
    unknown = [new_id(), "no id", "*", ""]
    reply = look.search(ids=[some[2], unknown[0], some[0], unknown[1], some[1], unknown[2], unknown[3]])
    assert reply.ids == [some[2], some[0], some[1]]
    assert reply.output["missing"] == unknown


def test_an_id_asked_twice_comes_once(look: Turn) -> None:
    one = ids(look.listed())[0]
    assert look.search(ids=[one, one.upper(), one]).ids == [one]


def test_reading_by_ids_gives_contents_whole(words: Agent) -> None:
    contents = [f"{f'evidence {n}':<100}" * 163 for n in range(4)]
    made = [words.remember(f"wombat {n}", content=content) for n, content in enumerate(contents)]
    reply = words.begin().search(ids=made)
    assert [entry["content"] for entry in reply.sources] == contents
    for content in contents:
        assert content in reply.text


@pytest.mark.parametrize(("count", "allowed"), [(1, True), (50, True), (51, False)])
def test_up_to_50_ids_are_read_at_once(look: Turn, count: int, allowed: bool) -> None:
    wanted = [new_id() for _ in range(count)]
    if allowed:
        assert look.search(ids=wanted).output["missing"] == wanted
    else:
        message = look.refused("search_memory", ids=wanted)
        assert "50" in message
        assert "ids" in message


def test_filters_apply_to_ids_too(look: Turn) -> None:
    found = {entry["summary"]: entry["memoryId"] for entry in look.search("wombat").sources}
    reply = look.search(ids=list(found.values()), kind="event", labels={"customer": "C-1"})
    assert reply.ids == [found["wombat two"]]
    assert set(reply.output["missing"]) == {found["wombat one"], found["wombat three"]}


# Filters.


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"kind": "event"}, {"wombat two", "wombat three"}),
        ({"labels": {"customer": "C-1"}}, {"wombat one", "wombat two"}),
        ({"labels": {"customer": "C-1", "ticket": "T-1"}}, {"wombat one"}),
        ({"kind": "event", "labels": {"ticket": "T-1"}}, {"wombat three"}),
        ({"kind": "guidance"}, set()),
        ({"labels": {"customer": "C-3"}}, set()),
        ({"labels": {"customer": "c-1"}}, set()),
        ({"labels": {"customer": "C-"}}, set()),
        ({"labels": {"customer": "*"}}, set()),
        ({"labels": {}}, {"wombat one", "wombat two", "wombat three"}),
    ],
)
def test_kinds_and_labels_filter_exactly_and_together(look: Turn, filters: Json, expected: set[str]) -> None:
    assert set(look.found("wombat", **filters)) == expected
    listed = [summary for summary in look.listed_summaries(**filters) if summary.startswith("wombat")]
    assert set(listed) == expected


def test_filters_come_before_the_limit(look: Turn) -> None:
    assert look.found("fact", kind="event", limit=1) == []
    assert len(look.found("one", labels={"ticket": "T-1"}, limit=2)) == 2


@pytest.mark.parametrize("fields", [{"query": "wombat"}, {}, {"ids": [new_id()]}])
@pytest.mark.parametrize(
    ("filters", "named"),
    [({"kind": "rumour"}, "rumour"), ({"labels": {"client": "C-1"}}, "client"), ({"kind": ""}, "kind")],
)
def test_an_undeclared_kind_or_label_is_an_error_and_never_no_filter(
    look: Turn, fields: Json, filters: Json, named: str
) -> None:
    assert named in look.refused("search_memory", **fields, **filters)
