"""Domain values for tests: whole by default, changed by name."""

import uuid
from dataclasses import replace
from typing import Any

from memoir.domain.config import AgentHead, AgentVersion, parse_harness
from memoir.domain.record import Change, Record, Scope, Source, Status, index_tokens
from memoir.domain.turn import Attempt, AttemptId, AttemptStatus, Execution, Place, Session
from memoir.services.resources import Resources, Secrets
from tests.fake_turns import FakeTurns
from tests.fakes import FakeAgents, FakeClock, FakeEmbedder, FakeGather, FakeIds, FakeRecords

AGENT = "00000000-0000-4000-8000-00000000000a"
EXECUTION = "00000000-0000-4000-8000-0000000000ee"
NOW = "2026-12-01T09:00:00.000Z"
BOTH = {"read": ["session", "agent"], "write": ["session", "agent"]}


def harness(**memory: Any) -> dict[str, Any]:
    """A configuration as JSON, with memory on and every tool."""
    tools = ["add_memory", "read_memory", "delete_memory"]
    return {"memory": {"enabled": True, "scope": BOTH, "tools": tools, **memory}}


def agent_version(number: int = 1, **changed: Any) -> AgentVersion:
    """A registered version."""
    made = AgentVersion(AGENT, number, "desk", f"agent:{AGENT}", parse_harness(harness(), {}), NOW)
    return replace(made, **changed)


def head(latest: int = 1, **labels: int) -> AgentHead:
    """An agent's head."""
    return AgentHead(AGENT, latest, labels)


def record(summary: str = "Maya drinks tea", **changed: Any) -> Record:
    """A committed ACTIVE record of agent scope; ``memory_id`` follows from its summary unless given."""
    content = changed.get("content", "")
    made = Record(
        memory_id=str(uuid.uuid5(uuid.NAMESPACE_OID, summary)),
        action_id=AGENT,
        summary=summary,
        content=content,
        kind="fact",
        scope=Scope.AGENT,
        source=Source.TOOL,
        labels=(),
        preview=False,
        replaces=None,
        execution_id=EXECUTION,
        invocation_number=1,
        action_version=1,
        session_id="s",
        created=NOW,
        changes=(Change(Status.ACTIVE, False, None, changed.get("created", NOW), "user:maria"),),
        tokens=index_tokens(summary, content),
    )
    return replace(made, **changed)


def execution(**changed: Any) -> Execution:
    """The first turn of a session."""
    made = Execution(EXECUTION, AGENT, 1, "s", 1, "user:maria", None, NOW, 1, "mark", None)
    return replace(made, **changed)


def attempt(number: int = 1, **changed: Any) -> Attempt:
    """An open attempt with a message."""
    made = Attempt(AttemptId(EXECUTION, number), AttemptStatus.OPEN, 2, NOW, NOW, 0, (), "mark")
    return replace(made, **changed)


def session(**changed: Any) -> Session:
    """A session whose first turn is open."""
    made = Session(AGENT, "s", 2, 0, NOW, "", Place(AttemptId(EXECUTION, 1)))
    return replace(made, **changed)


def resources() -> Resources:
    """Every port in memory."""
    records = FakeRecords()
    return Resources(
        agents=FakeAgents(),
        turns=FakeTurns(records),
        records=records,
        embedder=FakeEmbedder(),
        clock=FakeClock(),
        ids=FakeIds(),
        gather=FakeGather(),
        secrets=Secrets(b"lock", (b"sign",)),
    )
