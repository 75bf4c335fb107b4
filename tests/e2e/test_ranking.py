"""Ranking: words, meaning and recency (SPEC §5)."""

import pytest

from tests.e2e.driver import Agent, Runtime, harness, lexical

LABELS = {"customer": {"number": 5, "description": "The customer."}}


@pytest.fixture
def words(runtime: Runtime) -> Agent:
    return Agent(runtime, lexical(labels=LABELS))


# Ranking.


def test_words_are_found_by_their_stems(words: Agent) -> None:
    words.seed(["the deliveries were delayed", "nothing to see here"])
    assert words.begin().found("delivery delays") == ["the deliveries were delayed"]


def test_words_that_are_stop_words_of_another_language_count(words: Agent) -> None:
    words.seed(["the door is red", "her son sails", "the war of 1812", "an old hat"])
    turn = words.begin()
    assert turn.found("is the door of the house locked?") == ["the door is red"]
    assert turn.found("does her son live here?") == ["her son sails"]
    assert turn.found("what about the war and the hat?") == ["an old hat", "the war of 1812"]


def test_the_content_is_searched_as_the_summary_is(words: Agent) -> None:
    words.remember("the customer's pet", content="It is a wombat called Pepper.")
    words.remember("the customer's car")
    assert words.begin().found("wombat") == ["the customer's pet"]


def test_newer_wins_ties(words: Agent) -> None:
    oldest, *_, newest = [words.remember("she sails", labels={"customer": f"C-{n}"}) for n in range(3)]
    found = words.begin().search("sails").ids
    assert found[0] == newest
    assert found[-1] == oldest


def test_the_higher_id_wins_ties_of_one_commit(words: Agent) -> None:
    with words.turn() as turn:
        made = [turn.add("she sails", labels={"customer": f"C-{n}"}) for n in range(5)]
    assert words.begin().search("sails").ids == sorted(made, reverse=True)


def test_a_better_match_wins_over_a_newer_one(words: Agent) -> None:
    words.remember("the red kayak of Maria")
    words.remember("a red roof")
    assert words.begin().found("red kayak") == ["the red kayak of Maria", "a red roof"]


def test_what_somebody_else_stores_moves_nobodys_ranking(runtime: Runtime, words: Agent) -> None:
    texts = ["alpha beta", "beta gamma", "gamma gamma alpha", "delta"]
    words.seed(texts)
    turn = words.begin()
    before = turn.search("alpha gamma").ids
    Agent(runtime, lexical()).seed([f"alpha {n}" for n in range(10)])
    words.seed([f"gamma {n}" for n in range(5)], session="another")
    assert turn.search("alpha gamma").ids == before


@pytest.mark.parametrize("query", ["👍🎉", "\u200b\u200d", "\u200b", "🇳🇴", "\ufeff"])
def test_a_query_of_emoji_or_hidden_characters_matches_nothing_by_words(words: Agent, query: str) -> None:
    words.seed(["she sails", "👍 agreed", "plain"])
    assert words.begin().found(query) == []


def test_stop_words_find_nothing_alone_when_meaning_is_too_far(runtime: Runtime) -> None:
    agent = Agent(runtime, harness(search={"min_score": 0.99}))
    agent.seed(["the wombat is in the garden", "sailing at dawn"])
    turn = agent.begin()
    assert turn.found("is the volcano in the sea") == []
    assert turn.found("is the wombat in the sea") == ["the wombat is in the garden"]


def test_min_score_bounds_what_is_found_by_meaning_alone(runtime: Runtime) -> None:
    agent = Agent(runtime, harness(search={"min_score": -1}))
    agent.seed(["she sails at dawn", "the invoice is overdue", "wombats dig burrows"])
    with agent.turn() as turn:
        assert len(turn.found("boats")) == 3
    agent.register(harness(search={"min_score": 1}))
    assert agent.begin().found("boats") == []


@pytest.mark.parametrize(
    ("mode", "expected"), [("vector", []), ("lexical", ["wombats dig"]), ("hybrid", ["wombats dig"])]
)
def test_lexical_uses_words_alone_and_vector_meaning_alone(runtime: Runtime, mode: str, expected: list[str]) -> None:
    agent = Agent(runtime, harness(search={"mode": mode, "min_score": 0.99}))
    agent.seed(["wombats dig", "the invoice is overdue"])
    assert agent.begin().found("where did the wombat of the old king go to dig") == expected


def test_meaning_ranks_the_nearest_first(runtime: Runtime) -> None:
    agent = Agent(runtime, harness(search={"mode": "vector", "min_score": -1}))
    agent.seed(
        [
            "the customer is allergic to peanuts",
            "the customer flies to Oslo on Monday",
            "the invoice of March is overdue",
        ]
    )
    turn = agent.begin()
    assert turn.found("Which foods must we avoid serving?")[0] == "the customer is allergic to peanuts"
    assert turn.found("unpaid bills")[0] == "the invoice of March is overdue"
    assert turn.found("Wann reist der Kunde nach Norwegen?")[0] == "the customer flies to Oslo on Monday"


def test_explain_tells_why_each_record_was_found(runtime: Runtime) -> None:
    agent = Agent(runtime, harness())
    kept = agent.seed(["the wombat digs", "the invoice is overdue"])
    turn = agent.begin()
    explained = turn.search("wombat", explain=True).output["explain"]
    assert kept[0] in str(explained)
    assert "similarity" in str(explained)
    assert "explain" not in turn.search("wombat").output
