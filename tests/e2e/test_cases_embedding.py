"""Texts of any length and any embedder (CASES W15)."""

from tests.e2e.driver import Agent, Runtime, harness


def test_w15_texts_over_the_embedders_limit_lose_no_neighbour(runtime: Runtime) -> None:
    agent = Agent(runtime, harness(search={"mode": "vector", "min_score": -1}))
    long = "The harbour master wrote down every ship that came in. " * 40 + "." * 14_000
    assert 16_000 < len(long.encode()) <= 16_384
    turn = agent.begin(message="a wall of text " * 8_000)
    assert len(str(turn.request["message"])) == 120_000
    made = [turn.add("the customer is allergic to peanuts"), turn.add("the log of the harbour", content=long)]
    made.append(turn.add("the invoice of March is overdue"))
    assert set(turn.search("harbour").ids) == set(made)
    turn.recall()
    turn.commit()
    later = agent.begin()
    assert later.search("which invoice of March is overdue?", limit=1).ids == [made[2]]
    assert later.search("is the customer allergic to peanuts?", limit=1).ids == [made[0]]
    assert later.search("what did the harbour master write about ships?", limit=1).ids == [made[1]]
    assert len(later.search("which ships came into the port? " * 1_300).ids) == 3
    assert later.read(made[1])["content"] == long
