"""Limits, labels, kinds and scopes of a record (page "Agent memory"; SPEC §3)."""

import pytest

from tests.e2e.driver import Agent, Runtime, harness, new_id

# Limits. What is too long is refused with a message; nothing is cut.


def test_a_summary_of_up_to_512_bytes_is_kept_whole(agent: Agent) -> None:
    texts = ["a" * 512, "é" * 256, "👍" * 128, "x", " padded ", "tab\tinside"]
    made = agent.seed(texts)
    with agent.turn() as turn:
        assert turn.search(ids=made).summaries == texts


def test_a_summary_over_512_bytes_is_refused_with_the_limit(agent: Agent) -> None:
    with agent.turn() as turn:
        for summary in ("a" * 513, "é" * 257, "👍" * 129, "a" * 100_000):
            message = turn.refused("add_memory", summary=summary, kind="fact")
            assert "512" in message
            assert "summary" in message
        assert turn.listed() == []


def test_a_summary_is_one_line_that_is_not_empty(agent: Agent) -> None:
    with agent.turn() as turn:
        for text in ("", "  ", "two\nlines", "two\r\nlines", "two\u2028lines", "two\u2029lines", "a\x00b", "a\x85b"):
            assert "summary" in turn.refused("add_memory", summary=text, kind="fact"), repr(text)
        assert turn.listed() == []


def test_a_content_of_16_kib_is_kept_whole_and_one_byte_more_is_refused(agent: Agent) -> None:
    whole = ("é" + " " * 62) * 256
    assert len(whole.encode()) == 16 * 1024
    memory_id = agent.remember("long", content=whole)
    with agent.turn() as turn:
        assert turn.read(memory_id)["content"] == whole
        message = turn.refused("add_memory", summary="longer", kind="fact", content=whole + "a")
        assert "16384" in message.replace(",", "")
        assert "content" in message


def test_a_content_may_be_left_out_or_empty(agent: Agent) -> None:
    with agent.turn() as turn:
        assert turn.added("one")["content"] == ""
        assert turn.added("two", content="")["content"] == ""


# Labels and kinds.


LABELS = {
    "ticket": {"number": 9, "description": "The ticket."},
    "customer": {"number": 5, "description": "The customer."},
}


@pytest.fixture
def labelled(runtime: Runtime) -> Agent:
    return Agent(runtime, harness(labels=LABELS, search={"mode": "lexical"}))


def test_labels_come_back_in_number_order(labelled: Agent) -> None:
    memory_id = labelled.remember("one", labels={"ticket": "T-1", "customer": "C-1"})
    with labelled.turn() as turn:
        assert turn.read(memory_id)["labels"] == [
            {"name": "customer", "number": 5, "value": "C-1"},
            {"name": "ticket", "number": 9, "value": "T-1"},
        ]


def test_a_label_value_of_1_to_256_bytes_is_kept_whole(labelled: Agent) -> None:
    values = ["x", "a" * 256, "é" * 128, " ", "*", "👍", "line\nbreak"]
    with labelled.turn() as turn:
        made = [turn.add("one", labels={"customer": value}) for value in values]
    with labelled.turn() as turn:
        assert [entry["labels"][0]["value"] for entry in turn.search(ids=made).sources] == values


def test_a_label_value_out_of_bounds_is_refused_with_the_limit(labelled: Agent) -> None:
    with labelled.turn() as turn:
        for value in ("", "a" * 257, "é" * 129):
            message = turn.refused("add_memory", summary="one", kind="fact", labels={"customer": value})
            assert "256" in message
            assert "customer" in message


def test_an_undeclared_label_is_refused_with_the_declared_ones(labelled: Agent) -> None:
    with labelled.turn() as turn:
        message = turn.refused("add_memory", summary="one", kind="fact", labels={"client": "C-1"})
        assert "client" in message
        assert "customer" in message


def test_an_undeclared_kind_is_refused_with_the_declared_ones(runtime: Runtime) -> None:
    agent = Agent(runtime, harness(kinds=["allergy", "wish"]))
    with agent.turn() as turn:
        message = turn.refused("add_memory", summary="one", kind="fact")
        assert "allergy" in message
        assert "wish" in message
        assert turn.added("two", "wish")["kind"] == "wish"


# Scopes.


def test_a_record_has_session_scope_unless_the_agent_chooses_agent(agent: Agent) -> None:
    with agent.turn() as turn:
        assert turn.added("one")["scope"] == "SESSION"
        assert turn.added("two", scope="agent")["scope"] == "AGENT"
        assert turn.added("three", scope="session")["scope"] == "SESSION"


def test_an_agent_that_writes_agent_scope_only_has_that_scope(runtime: Runtime) -> None:
    agent = Agent(runtime, harness(scope={"read": ["agent"], "write": ["agent"]}))
    with agent.turn() as turn:
        assert turn.added("one")["scope"] == "AGENT"
        assert "session" in turn.refused("add_memory", summary="two", kind="fact", scope="session")


def test_an_agent_that_writes_session_scope_only_may_not_choose_agent(runtime: Runtime) -> None:
    agent = Agent(runtime, harness(scope={"read": ["session", "agent"], "write": ["session"]}))
    with agent.turn() as turn:
        assert "agent" in turn.refused("add_memory", summary="one", kind="fact", scope="agent")
        assert turn.listed() == []


def test_an_agent_without_sessions_writes_agent_scope(runtime: Runtime) -> None:
    agent = Agent(runtime, {"sessions": False, **harness(scope={"read": ["agent"], "write": ["agent"]})})
    memory_id = agent.remember("one", session=None)
    turn = agent.begin(None)
    assert turn.begun["turn"] is None
    assert turn.read(memory_id)["scope"] == "AGENT"


def test_what_the_agent_reads_but_does_not_write_it_neither_replaces_nor_deletes(runtime: Runtime) -> None:
    agent = Agent(runtime)
    shared = agent.remember("refunds take five days", scope="agent")
    agent.register(harness(scope={"read": ["session", "agent"], "write": ["session"]}))
    with agent.turn() as turn:
        turn.refused("delete_memory", id=shared)
        turn.refused("add_memory", summary="refunds take two days", kind="fact", replaces=shared)
        entry = turn.read(shared)
    assert (entry["status"], entry["version"]) == ("ACTIVE", 1)


def test_what_the_agent_does_not_read_is_unknown_to_it(runtime: Runtime) -> None:
    agent = Agent(runtime)
    shared = agent.remember("refunds take five days", scope="agent")
    agent.register(harness(scope={"read": ["session"], "write": ["session"]}))
    with agent.turn() as turn:
        assert turn.listed() == []
        assert turn.found("refunds") == []
        assert turn.recall("refunds")["records"] == []
        assert turn.search(ids=[shared]).output["missing"] == [shared]
        unknown = new_id()
        for tool in ("read_memory", "delete_memory"):
            assert turn.refused(tool, id=shared).replace(shared, "X") == turn.refused(tool, id=unknown).replace(
                unknown, "X"
            )


def test_a_session_record_cannot_replace_an_agent_record(agent: Agent) -> None:
    shared = agent.remember("refunds take five days", scope="agent")
    with agent.turn() as turn:
        message = turn.refused("add_memory", summary="refunds take two days", kind="fact", replaces=shared)
        assert "scope agent" in message
        new = turn.add("refunds take two days", replaces=shared, scope="agent")
    assert agent.visible("another session") == ["refunds take two days"]
    with agent.turn() as turn:
        assert turn.read(shared)["replacedBy"] == new


def test_an_agent_record_may_replace_a_session_record(agent: Agent) -> None:
    own = agent.remember("refunds take five days")
    agent.remember("refunds take two days", replaces=own, scope="agent")
    assert agent.visible() == agent.visible("another session") == ["refunds take two days"]


def test_ids_are_taken_in_upper_case_too(agent: Agent) -> None:
    memory_id = agent.remember("blue")
    with agent.turn() as turn:
        assert turn.read(memory_id.upper())["memoryId"] == memory_id
        assert turn.search(ids=[memory_id.upper()]).ids == [memory_id]
        new = turn.add("red", replaces=memory_id.upper())
        turn.delete(new.upper())
    with agent.turn() as turn:
        assert turn.read(memory_id)["replacedBy"] == new
        assert turn.read(new)["status"] == "DELETED"
        assert turn.read(new)["replaces"] == memory_id
