"""Preview turns: they change no live record, and no live turn ever sees one of theirs (page; SPEC §9)."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.e2e.driver import Agent, Refused, Runtime, Turn, ids, lexical, new_id


@pytest.fixture
def agent(runtime: Runtime) -> Agent:
    return Agent(runtime, lexical(pinned={"max_tokens": 45}))


def finds(turn: Turn, memory_id: str) -> bool:
    """Whether a turn finds a record, which search, list, ids and recall must agree on."""
    reply = turn.search(ids=[memory_id])
    assert [*reply.ids, *reply.output["missing"]] == [memory_id]
    recalled = turn.recall("wombat")
    assert (memory_id in recalled["block"]) == (memory_id in ids(recalled["records"]))
    found = {
        memory_id in turn.search("wombat", limit=50).ids,
        memory_id in ids(turn.listed()),
        reply.ids == [memory_id],
        memory_id in ids(recalled["records"]),
    }
    assert len(found) == 1, found
    return found.pop()


def reads(turn: Turn, memory_id: str) -> bool:
    return turn.tool("read_memory", id=memory_id).status == "COMPLETED"


def pins(turn: Turn) -> list[str]:
    return [line.split("] ")[1] for line in turn.begun["instructions"].splitlines() if line.startswith("- ")]


def test_a_live_turn_never_sees_a_preview_record_and_a_preview_turn_sees_both(agent: Agent) -> None:
    live = agent.remember("the wombat digs", scope="agent")
    with agent.turn("p", preview=True) as turn:
        tried = turn.added("the wombat flies", scope="agent")
        assert tried["preview"] is True
        assert finds(turn, tried["memoryId"])
    ours, theirs = agent.begin("a"), agent.begin("a", preview=True)
    for record, seen_live in ((live, True), (tried["memoryId"], False)):
        assert finds(theirs, record)
        assert reads(theirs, record)
        assert finds(ours, record) is seen_live
        assert reads(ours, record) is seen_live
    assert "within reach" in ours.refused("delete_memory", id=tried["memoryId"])
    assert "within reach" in ours.refused("add_memory", summary="x", kind="fact", replaces=tried["memoryId"])


def test_a_preview_replacement_hides_the_live_record_from_preview_turns_and_leaves_it_as_it_is(agent: Agent) -> None:
    live = agent.remember("the wombat digs", scope="agent")
    with agent.turn("p", preview=True) as turn:
        new = turn.add("the wombat swims", scope="agent", replaces=live)
        assert finds(turn, new)
        assert not finds(turn, live)
    assert turn.committed is not None
    assert turn.committed["replaced"] == []
    later, ours = agent.begin("q", preview=True), agent.begin("q")
    assert finds(later, new)
    assert not finds(later, live)
    assert not reads(later, live)
    assert later.read(new)["replaces"] == live
    assert finds(ours, live)
    assert not finds(ours, new)
    entry = ours.read(live)
    assert (entry["version"], entry["status"], entry["replacedBy"]) == (1, "ACTIVE", None)


def test_a_preview_deletion_is_a_deleted_preview_record_that_names_the_live_one(agent: Agent) -> None:
    with agent.turn("s") as turn:
        live = turn.add("the wombat digs", "reference", content="at night")
    with agent.turn("s", preview=True) as turn:
        gone = turn.delete(live)
        assert turn.delete(live) == gone, "deleting again returns the deletion"
        assert not finds(turn, live)
    expected = {
        "status": "DELETED", "version": 1, "preview": True, "replaces": live, "summary": "the wombat digs",
        "kind": "reference", "content": "", "scope": "SESSION", "pinned": False, "replacedBy": None,
    }  # fmt: skip
    later, ours = agent.begin("s", preview=True), agent.begin("s")
    read = later.read(gone["memoryId"])
    assert {name: read[name] for name in expected} == expected
    assert not finds(later, gone["memoryId"])
    assert not finds(later, live)
    assert later.delete(live)["memoryId"] == gone["memoryId"], "also in a later turn"
    assert finds(ours, live)
    assert not reads(ours, gone["memoryId"])


def test_of_preview_records_a_preview_turn_replaces_and_deletes_as_usual(agent: Agent) -> None:
    live = agent.remember("the wombat digs", scope="agent")
    with agent.turn("p", preview=True) as turn:
        first = turn.add("the wombat swims", scope="agent", replaces=live)
    with agent.turn("p", preview=True) as turn:
        second = turn.add("the wombat dives", scope="agent", replaces=first)
    later = agent.begin("p", preview=True)
    assert finds(later, second)
    assert not finds(later, first)
    entry = later.read(first)
    assert (entry["status"], entry["version"], entry["replacedBy"]) == ("SUPERSEDED", 2, second)
    assert later.delete(second)["status"] == "DELETED"
    later.commit()
    last = agent.begin("p", preview=True)
    assert not finds(last, second)
    assert not finds(last, live), "a preview record of any status hides what it names"


def test_at_most_one_preview_record_names_a_live_one(agent: Agent) -> None:
    live = agent.remember("the wombat digs", scope="agent")
    with agent.turn("p", preview=True) as turn:
        first = turn.add("the wombat swims", scope="agent", replaces=live)
        refusal = turn.refused("add_memory", summary="the wombat flies", kind="fact", scope="agent", replaces=live)
        assert first in refusal
    with agent.turn("q", preview=True) as turn:
        given = {"summary": "the wombat sings", "kind": "fact", "scope": "agent", "replaces": live}
        assert first in turn.refused("add_memory", **given)
        assert first in turn.refused("delete_memory", id=live)


def test_of_preview_turns_that_replace_one_live_record_at_once_one_commits(agent: Agent) -> None:
    live = agent.remember("the wombat digs", scope="agent")
    turns = [agent.begin(f"p{n}", preview=True) for n in range(6)]
    for number, turn in enumerate(turns):
        turn.add(f"the wombat has {number} legs", scope="agent", replaces=live)

    with ThreadPoolExecutor(6) as threads:
        replies = list(threads.map(lambda turn: turn.reply("commitTurn"), turns))
    refused = [reply["error"] for reply in replies if "error" in reply]
    assert [error["code"] for error in refused] == ["CONFLICT"] * 5
    assert all(live in error["message"] for error in refused)
    assert len([s for s in agent.begin("z", preview=True).found("legs", limit=50) if "legs" in s]) == 1


def test_a_session_has_a_place_for_each_mode_and_one_sequence_of_turns(agent: Agent) -> None:
    live, preview = agent.begin("s"), agent.begin("s", preview=True)
    assert (live.begun["turn"], preview.begun["turn"]) == (1, 2)
    for mode, holder in ((False, live), (True, preview)):
        with pytest.raises(Refused) as caught:
            agent.begin("s", preview=mode)
        assert caught.value.code == "SESSION_BUSY"
        assert holder.execution_id in str(caught.value)
    live.add("the wombat digs")
    preview.add("the wombat flies")
    preview.commit()
    live.commit()
    assert agent.begin("s").begun["turn"] == 3
    assert agent.describe_session("s")["turn"] == 3


def test_a_retry_keeps_its_mode(agent: Agent) -> None:
    turn = agent.begin("s", preview=True)
    turn.add("the wombat flies", scope="agent")
    with pytest.raises(Refused) as caught:
        turn.retry(preview=False)
    assert caught.value.code == "ID_REUSED"
    again = turn.retry()
    assert again.listed() == []
    assert again.added("the wombat dives")["preview"] is True


def test_a_live_turn_asks_nothing_by_what_a_preview_turn_said(agent: Agent) -> None:
    digs, flies = agent.seed(["the wombat digs", "the koala sleeps"], scope="agent")
    with agent.turn("s", "tell me of the wombat") as turn:
        turn.says("a wombat it is")
    with agent.turn("s", "and the koala?", preview=True) as turn:
        turn.says("about the koala")
    assert ids(agent.begin("s", [{"type": "image"}]).recall()["records"]) == [digs]
    both = agent.begin("s", [{"type": "image"}], preview=True)
    assert ids(both.recall()["records"])[0] == flies, "a preview turn goes on from both"


def test_the_same_fact_is_held_once_in_each_mode(agent: Agent) -> None:
    live = agent.remember("the wombat digs", scope="agent")
    with agent.turn("p", preview=True) as turn:
        tried = turn.add("the wombat digs", scope="agent")
        assert tried != live
        assert turn.add("the wombat digs", scope="agent") == tried
    with agent.turn("s") as turn:
        assert turn.add("the wombat digs", scope="agent") == live


def test_pins_of_preview_turns_stay_among_them_and_count_with_the_live_ones(agent: Agent) -> None:
    live = agent.remember("the wombat is called Tom", scope="agent", pinned=True)
    with agent.turn("p", preview=True) as turn:
        assert pins(turn) == ["the wombat is called Tom"]
        turn.add("the wombat is called Tim", scope="agent", pinned=True, replaces=live)
        turn.add("the wombat is shy", scope="agent", pinned=True)
        refusal = turn.refused("add_memory", summary="the wombat is old", kind="fact", scope="agent", pinned=True)
        assert live not in refusal, "the replaced pin takes no place any more"
    assert pins(agent.begin("p", preview=True)) == ["the wombat is called Tim", "the wombat is shy"]
    assert pins(agent.begin("p")) == ["the wombat is called Tom"]
    with agent.turn("q") as turn:
        turn.add("the wombat is fat", scope="agent", pinned=True)
    assert set(pins(agent.begin("r", preview=True))) == {
        "the wombat is called Tim", "the wombat is shy", "the wombat is fat",
    }  # fmt: skip


def test_a_cursor_of_one_mode_is_none_of_the_other(agent: Agent) -> None:
    agent.seed([f"wombat {n}" for n in range(4)], scope="agent")
    after = agent.begin("s").search(limit=2).output["next"]
    assert "cursor" in agent.begin("s", preview=True).refused("search_memory", limit=2, after=after)


def test_preview_records_cost_live_turns_no_place_and_no_score(agent: Agent) -> None:
    live = agent.seed([f"wombat number {n}" for n in range(5)], scope="agent")
    alone = agent.begin("a").search("wombat number", explain=True).output["explain"]["results"]
    with agent.turn("p", preview=True) as turn:
        for number in range(20):
            turn.add(f"wombat wombat {number}", scope="agent")
    beside = agent.begin("b").search("wombat number", explain=True)
    assert sorted(beside.ids) == sorted(live)
    assert [one["words"] for one in beside.output["explain"]["results"]] == [one["words"] for one in alone]


def test_what_a_preview_turn_rolled_back_hides_nothing(agent: Agent) -> None:
    live = agent.remember("the wombat digs", scope="agent")
    turn = agent.begin("p", preview=True)
    turn.delete(live)
    turn.rollback()
    assert finds(agent.begin("p", preview=True), live)


def test_helpers_of_a_preview_turn_see_as_it_does(agent: Agent) -> None:
    live = agent.remember("the wombat digs", scope="agent")
    with agent.turn("p", preview=True) as turn:
        new = turn.add("the wombat swims", scope="agent", replaces=live)
        found = turn.tool("search_memory", None, {"id": new_id(), "kind": "subagent"}, query="wombat")
        assert found.ids == [new]
