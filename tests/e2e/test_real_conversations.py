"""Real conversations, turn by turn through the client against the local system (CASES H1, W3, S5).

Their data is read from ``MEMOIR_DATA``; without it the tests are skipped. To stay short, the first two of 19 sessions
of a LoCoMo conversation are played, and one of 40 airline runs, whole.
"""

import json
from collections import Counter
from typing import Any, cast

import boto3
import pytest
from uuid6 import uuid7

from infra.local.demo_meter import Meter
from infra.local.dynamodb import REGION
from infra.local.system import LocalSystem
from memoir.adapters.dynamodb import entries, keys
from memoir.adapters.dynamodb.requests import Requests
from memoir.adapters.threads import Threads
from memoir.client import Memoir, ReplyEvent, TextEvent, ToolCall, ToolErrorEvent, ToolResultEvent, Turn
from memoir.domain.events import EventType
from memoir.domain.turn import AttemptId, Event
from memoir.schema import TRANSCRIPT_TABLE
from tests.e2e.conversations import AirlineTurn, Said, airline_run, locomo

MEMORY: dict[str, Any] = {
    "enabled": True,
    "scope": {"read": ["session", "agent"], "write": ["session", "agent"]},
    "tools": ["add_memory", "read_memory", "delete_memory"],
}
FOUND = 10


def recall_share(turn: Turn, questions: list[Any], ids: dict[str, str]) -> float:
    """The share of questions that have a line of their evidence among the first ten records."""
    hits = 0
    for question in questions:
        found = {record.memory_id for record in turn.search(question.text, limit=FOUND).raise_for_status().sources}
        hits += any(ids[line] in found for line in question.evidence)
    return hits / len(questions)


def talk(memoir: Memoir, agent: str, lines: list[Said]) -> dict[str, str]:
    """Two friends' talk: one writes, the other answers; each line is saved. Record ids by the line's id."""
    ids: dict[str, str] = {}
    for first, *answer in (lines[start : start + 2] for start in range(0, len(lines), 2)):
        with memoir.turn(action_id=agent, session_id="friends", principal="app:test", message=first.text) as turn:
            turn.recall(first.text)
            for line in (first, *answer):
                added = turn.add_memory(f"{line.speaker}: {line.text}", kind="event")
                ids[line.dialog_id] = added.raise_for_status().memories[0].memory_id
            turn.reply(answer[0].text if answer else "")
    return ids


def test_what_friends_told_in_early_sessions_is_found_by_word_and_by_meaning(memoir: Memoir) -> None:
    lines, questions = locomo(conversation=1, sessions=2)
    questions = questions[:10]
    agent = str(uuid7())
    versions = {
        mode: memoir.register_agent(
            action_id=agent, name="friends", harness={"memory": MEMORY | {"search": {"mode": mode}}}
        ).version
        for mode in ("lexical", "vector", "hybrid")
    }
    ids = talk(memoir, agent, lines)
    shares = {}
    for mode, version in versions.items():
        with memoir.turn(
            action_id=agent, session_id="friends", principal="app:test", message="A question", version=version
        ) as turn:
            shares[mode] = recall_share(turn, questions, ids)
            turn.rollback("only asked")
    with memoir.turn(action_id=agent, session_id="strangers", principal="app:test", message="Hello") as stranger:
        overheard = stranger.search(questions[0].text).raise_for_status().sources
    assert len(set(ids.values())) == len(lines)
    # Ten records drawn at random would hold an answer for less than a third of the questions.
    assert min(shares.values()) >= 0.8, shares
    assert overheard == ()


def answer(turn: Turn, told: AirlineTurn, saved: set[str]) -> list[str]:
    """Append what answered a message; save reservations and failures as the agent learns them. The calls' ids."""
    calls = []
    for message in told.answers:
        if message["role"] == "assistant":
            made = [
                ToolCall(call_id=call["id"], name=call["function"]["name"], arguments=call["function"]["arguments"])
                for call in message.get("tool_calls") or []
            ]
            calls += [call.call_id for call in made]
            turn.append(ReplyEvent(type="reply", text=message.get("content") or "", tool_calls=tuple(made)))
            continue
        turn.append(outcome(message))
        if message["content"].startswith("Error") or message["name"] == "get_reservation_details":
            saved.add(save(turn, message))
    return calls


def outcome(message: dict[str, Any]) -> ToolResultEvent | ToolErrorEvent:
    """A tool's message as an event."""
    call_id, name, text = message["tool_call_id"], message["name"], message["content"]
    if text.startswith("Error"):
        return ToolErrorEvent(type="tool_error", call_id=call_id, name=name, error=text)
    return ToolResultEvent(type="tool_result", call_id=call_id, name=name, output=text)


def save(turn: Turn, message: dict[str, Any]) -> str:
    """Save what a tool said; its record."""
    text = message["content"]
    if text.startswith("Error"):
        result = turn.add_memory(f"{message['name']} failed: {text.removeprefix('Error: ')}", kind="event")
    else:
        trip = json.loads(text)
        summary = f"Reservation {trip['reservation_id']}: {trip['origin']} to {trip['destination']}, {trip['cabin']}"
        result = turn.add_memory(summary, content=text, kind="reference")
    return result.raise_for_status().memories[0].memory_id


def found_in(memoir: Memoir, agent: str, saved: set[str]) -> None:
    """What the run taught is there once, is found by code and by meaning, and stays in its session."""
    with memoir.turn(
        action_id=agent, session_id="james", principal="app:test", message="Which cabin is XEWRD9?"
    ) as turn:
        listed = turn.search(limit=50).raise_for_status().sources
        by_code = turn.search("XEWRD9", limit=1).raise_for_status().sources
        by_meaning = turn.search("the change could not be made, no seats that day", limit=3).raise_for_status().sources
        reply = turn.recall()
    assert sorted(record.memory_id for record in listed) == sorted(saved)
    assert max(Counter(record.summary for record in listed).values()) <= 2
    assert str(by_code[0].summary).startswith("Reservation XEWRD9")
    assert any("not available" in str(record.summary) for record in by_meaning)
    assert "Reservation XEWRD9" in reply.block
    with memoir.turn(action_id=agent, session_id="mia", principal="app:test", message="XEWRD9?") as stranger:
        assert stranger.recall().records == ()
        assert stranger.search("XEWRD9 HAT030").raise_for_status().sources == ()


def transcript(system: LocalSystem, turn: Turn) -> list[Event]:
    """The events of a turn as they are stored."""
    client = boto3.client(
        "dynamodb",
        endpoint_url=system.dynamodb_endpoint,
        region_name=REGION,
        aws_access_key_id="local",
        aws_secret_access_key="local",
    )
    stored = Requests(client, TRANSCRIPT_TABLE.name, Threads())
    attempt = AttemptId(turn.execution_id, turn.invocation_number)
    return [entries.event_from(item) for item in stored.query(keys.transcript(attempt), keys.EVENTS)]


def called(events: list[Event]) -> list[str]:
    """Ids of the calls that the agent's replies made, in order."""
    bodies: list[Any] = [event.body for event in events if event.type is EventType.REPLY]
    return [call["callId"] for body in bodies for call in body.get("toolCalls", ())]


def ended(events: list[Event]) -> list[str]:
    """Ids of the calls that got a result or an error, in order."""
    return [
        str(event.body["callId"]) for event in events if event.type in {EventType.TOOL_RESULT, EventType.TOOL_ERROR}
    ]


@pytest.fixture
def meter(system: LocalSystem) -> Meter:
    """A network that can lose answers."""
    return Meter(system.lambda_client())


@pytest.fixture
def memoir(meter: Meter) -> Memoir:
    """The client over that network."""
    return Memoir(cast("Any", meter))


def test_airline_run_keeps_each_call_and_result_once_though_answers_get_lost(
    memoir: Memoir, meter: Meter, system: LocalSystem
) -> None:
    instructions, told = airline_run(13)
    agent, saved = str(uuid7()), set[str]()
    memoir.register_agent(action_id=agent, name="airline", harness={"memory": MEMORY})
    for number, one in enumerate(told, start=1):
        with memoir.turn(action_id=agent, session_id="james", principal="app:test", message=one.message) as turn:
            # Its own words: the default query holds the tools' long results too, and takes a second to embed.
            turn.recall(one.message)
            if number == 1:
                turn.append(TextEvent(type="system", text=instructions))
            meter.lose_next_answer("appendEvents")
            calls = answer(turn, one, saved)
            state = turn.describe()
        events = transcript(system, turn)
        assert turn.number == number
        assert [event.sequence for event in events] == list(range(1, state.next_sequence))
        assert called(events) == ended(events) == calls
    found_in(memoir, agent, saved)
