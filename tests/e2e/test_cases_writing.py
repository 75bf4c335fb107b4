"""Faults of writing that people reported of memory systems (CASES W3–W15, as far as tools alone can cause them)."""

from concurrent.futures import ThreadPoolExecutor

from tests.e2e.driver import Agent, Runtime, ToolReply, harness, ids, new_id, summaries


def test_w3_the_very_same_text_twice_is_one_active_record_of_version_1(words: Agent) -> None:
    with words.turn() as turn:
        turn.add("she sails", content="every Sunday")
    with words.turn() as turn:
        turn.add("she sails", content="every Sunday")
        result = turn.commit()
    assert result["written"] == result["replaced"] == result["deleted"] == []
    with words.turn() as turn:
        assert [(e["summary"], e["version"], e["status"]) for e in turn.listed()] == [("she sails", 1, "ACTIVE")]


def test_w7_the_same_six_statements_in_many_turns_stay_six_records(words: Agent) -> None:
    for _ in range(3):
        words.seed([f"statement {n}" for n in range(6)])
    assert sorted(words.visible()) == [f"statement {n}" for n in range(6)]


def test_w10_a_corrected_favourite_colour_is_red_only(runtime: Runtime) -> None:
    agent = Agent(runtime, harness())
    blue = agent.remember("the customer's favourite colour is blue")
    red = agent.remember("the customer's favourite colour is red", replaces=blue)
    turn = agent.begin(message="what is my favourite colour?")
    assert summaries(turn.recall()["records"]) == ["the customer's favourite colour is red"]
    assert summaries(turn.recall("favourite colour blue")["records"]) == ["the customer's favourite colour is red"]
    past = turn.read(blue)
    assert (past["status"], past["replacedBy"]) == ("SUPERSEDED", red)


def test_w13_an_agent_fact_learned_in_one_session_is_corrected_in_another(words: Agent) -> None:
    learned = words.remember("refunds take five days", session="a", scope="agent")
    corrected = words.remember("refunds take two days", session="b", scope="agent", replaces=learned)
    for session in ("a", "b", "c"):
        assert words.visible(session) == ["refunds take two days"]
    with words.turn("a") as turn:
        assert turn.read(learned)["replacedBy"] == corrected


def test_w14_of_50_adds_at_once_in_one_turn_each_acknowledged_id_can_be_read(words: Agent) -> None:
    turn = words.begin()
    with ThreadPoolExecutor(5) as pool:
        replies = list(pool.map(lambda n: turn.tool("add_memory", summary=f"fact {n}", kind="fact"), range(50)))
    acknowledged = [reply.memories[0]["memoryId"] for reply in replies if reply.status == "COMPLETED"]
    assert len(set(acknowledged)) == len(acknowledged) == 30
    assert all("30" in reply.text for reply in replies if reply.status == "FAILED")
    assert turn.search(ids=acknowledged).output["missing"] == []
    result = turn.commit()
    assert set(ids(result["written"])) == set(acknowledged)
    with words.turn() as later:
        assert set(later.search(ids=acknowledged).ids) == set(acknowledged)
        assert len(later.listed()) == 30


def test_w14_of_25_adds_at_once_in_five_turns_each_acknowledged_id_can_be_read(words: Agent) -> None:
    turns = [words.begin(f"s{n}") for n in range(5)]

    def add(n: int) -> ToolReply:
        return turns[n % 5].tool("add_memory", summary=f"fact {n}", kind="fact", scope="agent")

    with ThreadPoolExecutor(10) as pool:
        replies = list(pool.map(add, range(25)))
        results = list(pool.map(lambda turn: turn.commit(), turns))
    acknowledged = {reply.memories[0]["memoryId"] for reply in replies}
    assert len(acknowledged) == 25
    assert {memory_id for result in results for memory_id in ids(result["written"])} == acknowledged
    with words.turn("later") as turn:
        assert set(ids(turn.listed())) == acknowledged
        assert set(turn.search(ids=sorted(acknowledged)).ids) == acknowledged


def test_w4_a_turn_that_lost_its_replacement_may_replace_the_winner(words: Agent) -> None:
    shared = words.remember("refunds take five days", scope="agent")
    turns = [words.begin(name) for name in ("a", "b")]
    new = [turn.add(f"refunds take {n} days", scope="agent", replaces=shared) for n, turn in enumerate(turns)]
    turns[0].commit()
    error = turns[1].refusal("commitTurn")
    assert (error.code, shared in error.message) == ("CONFLICT", True)
    retried = turns[1].retry()
    message = retried.refused("add_memory", summary="refunds take 1 days", kind="fact", scope="agent", replaces=shared)
    assert new[0] in message
    last = retried.add("refunds take 1 days", scope="agent", replaces=new[0])
    retried.commit()
    with words.turn(new_id()) as turn:
        assert ids(turn.listed()) == [last]
