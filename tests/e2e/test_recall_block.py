"""Recall: its query, its block, and what reached the model (SPEC §4 "Recall", "Output uses")."""

import pytest

from tests.e2e.driver import Agent, Json, Runtime, harness, ids, lexical

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
    agent.remember("she sails", session="another", scope="agent")
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
    memory_id = agent.remember(
        "she sails", kind="event", content="on Sundays\nand Mondays", labels={"customer": "C-77"}
    )
    recalled = agent.begin().recall("sails")
    created = recalled["records"][0]["created"]
    for part in (memory_id, "event", "customer", "C-77", created, "she sails", "on Sundays", "and Mondays"):
        assert part in recalled["block"]


def padded(text: str, characters: int) -> str:
    """A text of that many characters and few words, so that embedding it takes no time."""
    return f"{text:<100}" * (characters // 100)


def test_the_block_holds_contents_while_it_stays_under_12000_characters(words: Agent) -> None:
    contents = {f"wombat {n}": padded(f"evidence {n}", 3_500) for n in range(5)}
    made = {words.remember(summary, content=content): summary for summary, content in contents.items()}
    block = words.begin().recall("wombat")["block"]
    kept = [summary for summary, content in contents.items() if content in block]
    assert len(kept) == 3
    assert len(block) < 12_500
    for memory_id, summary in made.items():
        assert summary in block
        assert memory_id in block
        if summary not in kept:
            assert contents[summary][:50] not in block, "what does not fit is left out whole"
    left_out = [line for line in block.splitlines() if "search_memory(ids" in line]
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
