"""Who sees what: a turn its own writes, nobody else's before the commit (SPEC §3, §4)."""

from tests.e2e.driver import Agent, Runtime, Turn, ids, lexical, new_id


def paths(turn: Turn, memory_id: str) -> dict[str, bool]:
    """By which paths a turn reaches a record."""
    reply = turn.search(ids=[memory_id])
    assert [*reply.ids, *reply.output["missing"]] == [memory_id]
    recalled = turn.recall("wombat")
    assert (memory_id in recalled["block"]) == (memory_id in ids(recalled["records"]))
    return {
        "search": memory_id in turn.search("wombat").ids,
        "list": memory_id in ids(turn.listed()),
        "ids": reply.ids == [memory_id],
        "recall": memory_id in ids(recalled["records"]),
    }


def reads(turn: Turn, memory_id: str) -> bool:
    return turn.tool("read_memory", id=memory_id).status == "COMPLETED"


def sees(turn: Turn, memory_id: str) -> bool:
    """Whether a turn finds a record, which every path must agree on."""
    found = paths(turn, memory_id)
    assert len(set(found.values())) == 1, found
    return found["search"]


def test_a_turn_sees_its_own_writes_and_nobody_else_does_before_the_commit(words: Agent) -> None:
    writer, reader = words.begin("a"), words.begin("b")
    added = writer.add("the wombat digs", scope="agent")
    assert sees(writer, added)
    assert reads(writer, added)
    assert not sees(reader, added)
    assert not reads(reader, added)
    writer.commit()
    assert sees(reader, added), "shortly after the commit, other sessions see it"
    assert reads(reader, added)


def test_the_next_turn_of_the_session_sees_what_was_committed(words: Agent) -> None:
    added = words.remember("the wombat digs")
    turn = words.begin()
    assert sees(turn, added)
    assert reads(turn, added)


def test_nobody_sees_what_was_rolled_back_or_abandoned(words: Agent) -> None:
    rolled_back, abandoned = words.begin("a"), words.begin("b")
    gone = [turn.add(f"wombat {n}", scope="agent") for n, turn in enumerate((rolled_back, abandoned))]
    rolled_back.rollback()
    for turn in (abandoned.retry(), words.begin("a")):
        for memory_id in gone:
            assert not sees(turn, memory_id)
            assert not reads(turn, memory_id)


def test_a_staged_deletion_or_correction_hides_the_record_from_its_own_turn_only(words: Agent) -> None:
    deleted, replaced = words.seed(["wombat one", "wombat two"], scope="agent")
    writer, reader = words.begin("a"), words.begin("b")
    writer.delete(deleted)
    new = writer.add("wombat three", scope="agent", replaces=replaced)
    assert [sees(writer, i) for i in (deleted, replaced, new)] == [False, False, True]
    assert [sees(reader, i) for i in (deleted, replaced, new)] == [True, True, False]
    writer.commit()
    assert [sees(reader, i) for i in (deleted, replaced, new)] == [False, False, True]


def test_a_staged_change_shows_in_the_turns_own_reading(words: Agent) -> None:
    old = words.remember("wombat one")
    turn = words.begin()
    new = turn.add("wombat two", replaces=old)
    assert (turn.read(old)["status"], turn.read(old)["version"], turn.read(old)["replacedBy"]) == ("SUPERSEDED", 2, new)
    turn.delete(new)
    assert (turn.read(new)["status"], turn.read(new)["version"]) == ("DELETED", 2)
    turn.rollback()
    assert words.begin().read(old)["status"] == "ACTIVE"


def test_records_of_other_sessions_and_agents_are_out_of_reach(runtime: Runtime, words: Agent) -> None:
    other = Agent(runtime, lexical())
    out_of_reach = [
        words.remember("the wombat digs", session="a"),
        other.remember("the wombat digs"),
        other.remember("a shared wombat", scope="agent"),
    ]
    turn = words.begin("s")
    own = turn.add("a wombat of its own")
    for memory_id in out_of_reach:
        assert not sees(turn, memory_id)
        assert not reads(turn, memory_id)
    assert sees(turn, own)


def test_a_record_out_of_reach_answers_exactly_as_an_unknown_id(runtime: Runtime, words: Agent) -> None:
    other = Agent(runtime, lexical())
    out_of_reach = [
        words.remember("the wombat digs", session="a"),
        other.remember("a shared wombat", scope="agent"),
        words.begin("staged elsewhere").add("a staged wombat", scope="agent"),
    ]
    turn = words.begin("s")

    def answers(memory_id: str) -> list[str]:
        texts = [turn.refused("read_memory", id=memory_id), turn.refused("delete_memory", id=memory_id)]
        texts.append(turn.refused("add_memory", summary="x", kind="fact", replaces=memory_id))
        return [text.replace(memory_id, "X") for text in texts]

    unknown = answers(new_id())
    for memory_id in out_of_reach:
        assert answers(memory_id) == unknown


def test_a_record_out_of_reach_is_neither_changed_nor_named(runtime: Runtime, words: Agent) -> None:
    kept = words.remember("the wombat digs", session="a")
    with words.turn("b") as turn:
        turn.refused("delete_memory", id=kept)
        message = turn.refused("add_memory", summary="the wombat sleeps", kind="fact", replaces=kept)
        assert "digs" not in message
        mine = turn.add("the wombat digs")
    assert mine != kept
    with words.turn("a") as turn:
        assert turn.read(kept)["version"] == 1


def test_an_attempt_is_reached_through_its_own_execution_only(runtime: Runtime, words: Agent) -> None:
    turn = words.begin()
    assert runtime.refusal("describeTurn", actionId=new_id(), sessionId="s").code == "NOT_FOUND"
    assert runtime.refusal("describeTurn", actionId=Agent(runtime).id, sessionId="s").code == "NOT_FOUND"
    assert words.describe_session()["executionId"] == turn.execution_id


NAMES = ["a", "b", "a#b", "a/b", "*", "A", "-", " ", "日本", "caf\u00e9", "cafe\u0301", "caf\u00e9 "]


def test_a_session_name_is_data_compared_byte_for_byte_and_reaches_no_other_session(words: Agent) -> None:
    own = {name: words.remember(f"wombat of {name!r}", session=name) for name in NAMES}
    for name in NAMES:
        turn = words.begin(name)
        assert turn.begun["turn"] == 2
        assert ids(turn.listed()) == [own[name]]
        if name in {"*", "a#b"}:
            assert turn.search("wombat").ids == ids(turn.recall("wombat")["records"]) == [own[name]]


def test_an_agent_without_sessions_keeps_apart_from_a_session_named_like_its_place(runtime: Runtime) -> None:
    shared = {"read": ["agent"], "write": ["agent"]}
    sessionless = Agent(runtime, {"sessions": False, **lexical(scope=shared)})
    kept = sessionless.remember("the wombat digs", session=None)
    sessionless.register(lexical())
    turn = sessionless.begin("-")
    assert turn.begun["turn"] == 1
    assert ids(turn.listed()) == [kept]
    own = turn.add("a wombat of this session")
    turn.commit()
    assert ids(sessionless.begin("a").listed()) == [kept]
    assert set(ids(sessionless.begin("-").listed())) == {kept, own}
