"""Recall before a model call: its query, its block, what is recorded and what is suppressed (SPEC §4 "Recall")."""

import pytest

from tests.e2e.driver import Agent, Json, Runtime, Turn, harness, ids, lexical, new_id


@pytest.fixture
def words(runtime: Runtime) -> Agent:
    return Agent(runtime, lexical())


def recorded(turn: Turn, text: str, **fields: object) -> bool:
    """Whether a recall is recorded; its block is returned in full either way."""
    recalled = turn.recall(text, **fields)
    assert recalled["records"]
    for record in recalled["records"]:
        assert record["summary"] in recalled["block"]
    assert bool(recalled.get("executionId")) == recalled["recorded"]
    return bool(recalled["recorded"])


# Recording and suppression.


def test_a_recall_that_finds_nothing_is_not_recorded(words: Agent) -> None:
    words.remember("she sails")
    turn = words.begin()
    before = turn.describe()["nextSequence"]
    recalled = turn.recall("volcano")
    assert (recalled["records"], recalled["recorded"], recalled.get("executionId")) == ([], False, None)
    assert recalled["block"] == ""
    assert turn.describe()["nextSequence"] == before


def test_a_recall_that_finds_records_is_recorded_as_an_execution(words: Agent) -> None:
    words.remember("she sails")
    turn = words.begin()
    recalled = turn.recall("sails")
    assert recalled["recorded"]
    assert recalled["executionId"] not in (None, turn.execution_id)


def test_the_same_records_again_are_not_recorded_again(words: Agent) -> None:
    words.seed(["Maria sails", "Peter sails"])
    turn = words.begin()
    assert recorded(turn, "sails")
    assert not recorded(turn, "sails")
    assert not recorded(turn, "Maria"), "a part of what was listed is listed already"


def test_a_record_that_was_not_listed_yet_is_recorded(words: Agent) -> None:
    words.remember("she sails")
    turn = words.begin()
    assert recorded(turn, "sails")
    turn.add("they sail")
    assert recorded(turn, "sails")
    assert not recorded(turn, "sails")


def test_records_listed_by_two_recalls_together_are_listed(words: Agent) -> None:
    words.seed(["she sails", "he rows"])
    turn = words.begin()
    assert recorded(turn, "sails")
    assert recorded(turn, "rows")
    assert not recorded(turn, "sails and rows")


def test_what_a_committed_turn_listed_is_in_context_in_the_next(words: Agent) -> None:
    words.remember("she sails")
    with words.turn() as turn:
        assert recorded(turn, "sails")
    with words.turn() as turn:
        assert not recorded(turn, "sails")


def test_what_a_rolled_back_turn_listed_is_not_in_context(words: Agent) -> None:
    words.remember("she sails")
    turn = words.begin()
    assert recorded(turn, "sails")
    turn.rollback()
    assert recorded(turn.retry(), "sails")


def test_another_session_is_another_conversation(words: Agent) -> None:
    words.remember("she sails", scope="agent")
    with words.turn("a") as turn:
        assert recorded(turn, "sails")
    with words.turn("b") as turn:
        assert recorded(turn, "sails")


def test_without_sessions_the_conversation_is_the_turn(runtime: Runtime) -> None:
    agent = Agent(runtime, {"sessions": False, **lexical(scope={"read": ["agent"], "write": ["agent"]})})
    agent.remember("she sails", session=None)
    for _ in range(2):
        with agent.turn(None) as turn:
            assert recorded(turn, "sails")
            assert not recorded(turn, "sails")


def test_a_helpers_conversation_is_its_own_within_the_turn(words: Agent) -> None:
    words.remember("she sails")
    with words.turn() as turn:
        assert recorded(turn, "sails")
        assert recorded(turn, "sails", helper="h1")
        assert not recorded(turn, "sails", helper="h1")
        assert recorded(turn, "sails", helper="h2")
        assert not recorded(turn, "sails")
    with words.turn() as turn:
        assert not recorded(turn, "sails")
        assert recorded(turn, "sails", helper="h1")


def test_a_helpers_recall_puts_nothing_before_the_agent(words: Agent) -> None:
    words.remember("she sails")
    with words.turn() as turn:
        assert recorded(turn, "sails", helper="h1")
        assert recorded(turn, "sails")


@pytest.mark.parametrize("by", ["recall", "event"])
def test_after_everything_was_dropped_the_recall_is_recorded_again(words: Agent, by: str) -> None:
    words.remember("she sails")
    with words.turn() as turn:
        assert recorded(turn, "sails")
        if by == "recall":
            assert recorded(turn, "sails", dropped="all")
        else:
            turn.append({"type": "context", "dropped": "all", "text": "a summary"})
            assert recorded(turn, "sails")
        assert not recorded(turn, "sails")
    with words.turn() as turn:
        assert not recorded(turn, "sails")


@pytest.mark.parametrize("by", ["recall", "event"])
def test_only_the_named_executions_leave_the_context(words: Agent, by: str) -> None:
    words.seed(["she sails", "he rows"])
    turn = words.begin()
    sails = turn.recall("sails")["executionId"]
    assert recorded(turn, "rows")
    fields: Json = {"dropped": [sails]} if by == "recall" else {}
    if by == "event":
        turn.append({"type": "context", "dropped": [sails]})
    assert not recorded(turn, "rows", **fields)
    assert recorded(turn, "sails")
    assert not recorded(turn, "sails and rows")


def test_an_unknown_execution_drops_nothing(words: Agent) -> None:
    words.remember("she sails")
    turn = words.begin()
    assert recorded(turn, "sails")
    assert not recorded(turn, "sails", dropped=[new_id()])
    assert not recorded(turn, "sails", dropped=[])


def test_a_drop_in_a_helpers_conversation_leaves_the_agents_alone(words: Agent) -> None:
    words.remember("she sails")
    turn = words.begin()
    assert recorded(turn, "sails")
    assert recorded(turn, "sails", helper="h1")
    turn.append({"type": "context", "dropped": "all", "helper": "h1"})
    assert not recorded(turn, "sails")
    assert recorded(turn, "sails", helper="h1")


def test_what_a_later_turn_drops_is_out_of_context_also_after_its_commit(words: Agent) -> None:
    words.seed(["she sails", "he rows"])
    with words.turn() as turn:
        assert recorded(turn, "sails")
        assert recorded(turn, "rows")
    with words.turn() as turn:
        turn.append({"type": "context", "dropped": "all"})
        assert recorded(turn, "rows")
    with words.turn() as turn:
        assert not recorded(turn, "rows")
        assert recorded(turn, "sails")


def test_a_search_lists_nothing_for_suppression(words: Agent) -> None:
    words.remember("she sails")
    turn = words.begin()
    turn.search("sails")
    assert recorded(turn, "sails")


# The query.


def test_the_query_is_the_message_when_no_text_is_given(words: Agent) -> None:
    words.seed(["she sails", "he rows"])
    turn = words.begin(message="who rows here?")
    assert [r["summary"] for r in turn.recall()["records"]] == ["he rows"]


def test_the_query_takes_the_last_message_and_the_last_two_replies_or_results(words: Agent) -> None:
    words.seed([f"the {animal} digs" for animal in ("wombat", "badger", "mole", "ferret", "stoat")])
    turn = words.begin(message="about the wombat")
    turn.append(
        {"type": "reply", "text": "about the badger"},
        {"type": "tool_result", "callId": "c", "name": "find", "output": {"animal": "mole"}},
        {"type": "reply", "text": "about the ferret"},
        {"type": "system", "text": "about the stoat"},
    )
    assert {r["summary"] for r in turn.recall()["records"]} == {f"the {a} digs" for a in ("wombat", "mole", "ferret")}
    turn.append({"type": "message", "text": "about the stoat now"})
    assert {r["summary"] for r in turn.recall()["records"]} == {f"the {a} digs" for a in ("stoat", "mole", "ferret")}


def test_a_helpers_query_comes_from_its_own_conversation(words: Agent) -> None:
    words.seed(["the wombat digs", "the badger digs"])
    turn = words.begin(message="about the wombat")
    turn.append({"type": "message", "text": "look up the badger", "helper": "h"})
    assert [r["summary"] for r in turn.recall(helper="h")["records"]] == ["the badger digs"]
    assert [r["summary"] for r in turn.recall()["records"]] == ["the wombat digs"]


def test_a_long_query_keeps_its_tail_of_8000_characters(words: Agent) -> None:
    words.seed(["the wombat digs", "the badger digs"])
    turn = words.begin(message="wombat " + "filler " * 1400 + "badger")
    assert [r["summary"] for r in turn.recall()["records"]] == ["the badger digs"]


@pytest.mark.parametrize(
    "message",
    [
        [{"type": "image", "source": {"bytes": "aGVsbG8="}}],
        [{"type": "tool_result", "content": []}],
        [{"type": "text", "text": ""}],
    ],
    ids=["image", "tool result", "empty text"],
)
def test_with_no_text_at_all_there_is_nothing_no_embedding_and_no_error(runtime: Runtime, message: list[Json]) -> None:
    agent = Agent(runtime, harness())
    agent.remember("she sails")
    turn = agent.begin(message=message)
    recalled = turn.recall()
    assert (recalled["records"], recalled["recorded"], recalled["block"]) == ([], False, "")
    assert turn.commit()["usage"] == []


def test_the_text_of_content_blocks_is_the_query(words: Agent) -> None:
    words.seed(["she sails", "he rows"])
    turn = words.begin(message=[{"type": "image", "source": {}}, {"type": "text", "text": "who rows?"}])
    assert [r["summary"] for r in turn.recall()["records"]] == ["he rows"]


def test_a_message_that_is_an_image_falls_back_to_replies_and_results(words: Agent) -> None:
    words.seed(["she sails", "he rows"])
    turn = words.begin(message=[{"type": "image", "source": {}}])
    turn.append({"type": "tool_result", "callId": "c", "name": "describe", "output": "a man who rows"})
    assert [r["summary"] for r in turn.recall()["records"]] == ["he rows"]


# How many, and the block.


@pytest.mark.parametrize(("config", "expected"), [({}, 5), ({"max_results": 2}, 2), ({"max_results": 50}, 8)])
def test_a_recall_returns_at_most_max_results_records(runtime: Runtime, config: Json, expected: int) -> None:
    agent = Agent(runtime, lexical(search=config))
    agent.seed([f"wombat number {n}" for n in range(8)])
    assert len(agent.begin().recall("wombat")["records"]) == expected


def test_the_block_has_id_kind_labels_time_summary_and_content(runtime: Runtime) -> None:
    agent = Agent(runtime, lexical(labels={"customer": {"number": 5, "description": "Who."}}))
    memory_id = agent.remember("she sails", "event", content="on Sundays\nand Mondays", labels={"customer": "C-77"})
    recalled = agent.begin().recall("sails")
    created = recalled["records"][0]["created"]
    for part in (memory_id, "event", "customer", "C-77", created, "she sails", "on Sundays", "and Mondays"):
        assert part in recalled["block"]


def test_the_block_holds_contents_while_it_stays_under_12000_characters(words: Agent) -> None:
    seeded = {words.remember(f"wombat {n}", content=f"{n}" * 3500): n for n in range(5)}
    block = words.begin().recall("wombat")["block"]
    kept = [memory_id for memory_id, n in seeded.items() if f"{n}" * 3500 in block]
    assert len(kept) == 3
    assert len(block) < 12_500
    for memory_id, n in seeded.items():
        assert f"wombat {n}" in block
        assert memory_id in block
        if memory_id not in kept:
            assert f"{n}" * 20 not in block, "what does not fit is left out whole"
    left_out = [line for line in block.splitlines() if "search_memory" in line]
    assert len(left_out) == 2
    assert all("3500" in line for line in left_out)


def test_every_block_has_a_fence_of_its_own(words: Agent) -> None:
    words.remember("she sails")
    turn = words.begin()
    lines = [turn.recall("sails")["block"].strip().splitlines() for _ in range(3)]
    assert len({block[0] for block in lines}) == len({block[-1] for block in lines}) == 3
    assert {tuple(block[2:-1]) for block in lines} == {tuple(lines[0][2:-1])}


# Output uses, usage, rank.


def test_a_recall_reached_the_model_when_a_reply_of_its_conversation_follows(words: Agent) -> None:
    words.remember("she sails")
    turn = words.begin()
    before = turn.recall("sails")["executionId"]
    search = turn.search("sails").execution_id
    turn.search("volcano")
    helper = turn.recall("sails", helper="h")["executionId"]
    turn.says("she does")
    after = turn.search("sails").execution_id
    turn.commit()
    uses = turn.describe()["outputUses"]
    assert {use["kind"] for use in uses} == {"RETRIEVED"}
    found = {use["executionId"] for use in uses}
    assert found == {before, search}
    assert not found & {helper, after}


def test_a_helpers_recall_reached_the_model_when_the_helper_replied(words: Agent) -> None:
    words.remember("she sails")
    turn = words.begin()
    helper = turn.recall("sails", helper="h")["executionId"]
    turn.says("found it", helper="h")
    turn.commit()
    assert [use["executionId"] for use in turn.describe()["outputUses"]] == [helper]


def test_a_recall_and_a_search_embed_once_each_and_lists_and_ids_never(runtime: Runtime) -> None:
    agent = Agent(runtime, harness())
    memory_id = agent.remember("she sails")
    turn = agent.begin(message="sailing")
    turn.recall()
    turn.search("who sails?")
    turn.search()
    turn.search(query="  ")
    turn.search(ids=[memory_id])
    turn.read(memory_id)
    usage = turn.commit()["usage"]
    assert [(use["purpose"], use["calls"]) for use in usage] == [("embed", 2)]
    assert usage[0]["model"]
    assert usage[0]["inputTokens"] > 0


def test_a_lexical_agent_embeds_no_query(words: Agent) -> None:
    words.remember("she sails")
    turn = words.begin()
    assert ids(turn.recall("sails")["records"]) == turn.search("sails").ids
    assert turn.commit()["usage"] == []
