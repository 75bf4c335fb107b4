"""A thin driver of the turn protocol: agents and turns over ``wire``, as another team's runtime would write it."""

import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tests.e2e.wire import ALL_TOOLS, BOTH, FunctionDied, Json, Refused, Runtime, harness, lexical, new_id

__all__ = [
    "ALL_TOOLS",
    "BOTH",
    "Agent",
    "FunctionDied",
    "Json",
    "Refused",
    "Runtime",
    "ToolReply",
    "Turn",
    "harness",
    "ids",
    "lexical",
    "new_id",
    "summaries",
]


@dataclass(frozen=True)
class ToolReply:
    """What a tool call answered."""

    status: str
    output: Json
    text: str
    execution_id: str

    @property
    def memories(self) -> list[Json]:
        """Records written or deleted."""
        found: list[Json] = self.output["memories"]
        return found

    @property
    def sources(self) -> list[Json]:
        """Records read or found."""
        found: list[Json] = self.output["sources"]
        return found

    @property
    def ids(self) -> list[str]:
        """Ids of the records read or found, in their order."""
        return [entry["memoryId"] for entry in self.sources]

    @property
    def summaries(self) -> list[str]:
        """Summaries of the records read or found, in their order."""
        return [entry["summary"] for entry in self.sources]


class Agent:
    """A registered agent of its own, so that tests share nothing."""

    def __init__(self, runtime: Runtime, config: Json | None = None) -> None:
        self.runtime = runtime
        self.id = new_id()
        self.version = self.register(harness() if config is None else config)

    def register(self, config: Json, **fields: Any) -> int:
        """Register a version."""
        result = self.runtime.call("registerAgent", actionId=self.id, name="an agent", harness=config, **fields)
        version: int = result["version"]
        return version

    def begin(self, session: str | None = "s", message: Any = "hello", **fields: Any) -> "Turn":
        """Begin a turn; ``executionId`` and ``invocationNumber`` may be given."""
        where = {} if session is None else {"sessionId": session}
        request = {
            "actionId": self.id,
            "executionId": new_id(),
            "invocationNumber": 1,
            "principal": "user:maria",
            "message": message,
            **where,
            **fields,
        }
        return Turn(self, request, self.runtime.call("beginTurn", **request))

    @contextmanager
    def turn(self, session: str | None = "s", message: Any = "hello", **fields: Any) -> Iterator["Turn"]:
        """A turn that is committed at the end, or rolled back when the block fails."""
        turn = self.begin(session, message, **fields)
        try:
            yield turn
        except BaseException:
            turn.reply("rollbackTurn")
            raise
        if turn.committed is None:
            turn.commit()

    def remember(self, summary: str, session: str | None = "s", **fields: Any) -> str:
        """Commit one record in a turn of its own; its id."""
        with self.turn(session) as turn:
            return turn.add(summary, **fields)

    def seed(self, summaries: Sequence[str], session: str | None = "s", **fields: Any) -> list[str]:
        """Commit records, 30 a turn; their ids in order."""
        ids: list[str] = []
        for start in range(0, len(summaries), 30):
            with self.turn(session) as turn:
                ids += [turn.add(summary, **fields) for summary in summaries[start : start + 30]]
        return ids

    def visible(self, session: str | None = "s") -> list[str]:
        """Summaries of every record that a turn of the session lists, newest first."""
        turn = self.begin(session)
        try:
            return turn.listed_summaries()
        finally:
            turn.rollback()

    def describe_session(self, session: str = "s") -> Json:
        """The session's open turn."""
        return self.runtime.call("describeTurn", actionId=self.id, sessionId=session)


class Turn:
    """One attempt at a turn."""

    def __init__(self, agent: Agent, request: Json, begun: Json) -> None:
        self.agent = agent
        self.request = request
        self.begun = begun
        self.committed: Json | None = None
        self.execution: Json = {k: request[k] for k in ("executionId", "invocationNumber")}

    @property
    def execution_id(self) -> str:
        """The execution's id."""
        return str(self.execution["executionId"])

    def reply(self, operation: str, **fields: Any) -> Json:
        """The whole reply to a call inside this attempt."""
        return self.agent.runtime.reply(operation, {**self.execution, **fields})

    def call(self, operation: str, **fields: Any) -> Json:
        """The result of a call inside this attempt."""
        return self.agent.runtime.call(operation, **{**self.execution, **fields})

    def refusal(self, operation: str, **fields: Any) -> Refused:
        """The error of a call inside this attempt that must be refused."""
        return self.agent.runtime.refusal(operation, **{**self.execution, **fields})

    def retry(self, **fields: Any) -> "Turn":
        """Begin the next invocation of the same execution."""
        request = {**self.request, "invocationNumber": self.execution["invocationNumber"] + 1, **fields}
        return Turn(self.agent, request, self.agent.runtime.call("beginTurn", **request))

    def tool(self, name: str, _call: str | None = None, _helper: Json | None = None, **given: Any) -> ToolReply:
        """Call a native tool with these inputs."""
        fields: Json = {"callId": _call or new_id(), "name": name, "input": given}
        result = self.call("callTool", **fields, **({"helper": _helper} if _helper else {}))
        return ToolReply(result["status"], result["output"], result["text"], result["executionId"])

    def done(self, name: str, **given: Any) -> ToolReply:
        """Call a tool that must complete."""
        reply = self.tool(name, **given)
        assert reply.status == "COMPLETED", reply.text
        return reply

    def refused(self, name: str, **given: Any) -> str:
        """Call a tool that must fail; the message for the agent. The failed call is an execution, too."""
        reply = self.tool(name, **given)
        assert reply.status == "FAILED", f"{name} was not refused: {reply.text}"
        assert uuid.UUID(reply.execution_id)
        assert reply.text.strip(), "a refusal says why"
        return reply.text

    def add(self, summary: str, kind: str = "fact", **fields: Any) -> str:
        """Add a record; its id."""
        entry = self.added(summary, kind, **fields)
        return str(entry["memoryId"])

    def added(self, summary: str, kind: str = "fact", **fields: Any) -> Json:
        """Add a record; its entry."""
        memories = self.done("add_memory", summary=summary, kind=kind, **fields).memories
        assert len(memories) == 1
        return memories[0]

    def delete(self, memory_id: str) -> Json:
        """Delete a record; its entry."""
        memories = self.done("delete_memory", id=memory_id).memories
        assert len(memories) == 1
        return memories[0]

    def read(self, memory_id: str) -> Json:
        """Read a record of any status."""
        sources = self.done("read_memory", id=memory_id).sources
        assert len(sources) == 1
        return sources[0]

    def search(self, query: str | None = None, **fields: Any) -> ToolReply:
        """Search by query, list or read by ids."""
        return self.done("search_memory", **({} if query is None else {"query": query}), **fields)

    def found(self, query: str, **fields: Any) -> list[str]:
        """Summaries of what a search finds, best first."""
        return self.search(query, **fields).summaries

    def walk(self, limit: int = 50, **filters: Any) -> Iterator[list[Json]]:
        """The pages of a list."""
        after: Json = {}
        while True:
            page = self.search(limit=limit, **filters, **after)
            yield page.sources
            if page.output.get("next") is None:
                return
            after = {"after": page.output["next"]}

    def listed(self, **filters: Any) -> list[Json]:
        """Every record of the list, newest first."""
        return [entry for page in self.walk(**filters) for entry in page]

    def listed_summaries(self, **filters: Any) -> list[str]:
        """Summaries of every record of the list, newest first."""
        return [entry["summary"] for entry in self.listed(**filters)]

    def recall(self, text: str | None = None, recall_id: str | None = None, **fields: Any) -> Json:
        """Recall before a model call."""
        given = {} if text is None else {"text": text}
        return self.call("recall", recallId=recall_id or new_id(), **given, **fields)

    def append(self, *events: Json, append_id: str | None = None) -> Json:
        """Append events to the transcript."""
        return self.call("appendEvents", appendId=append_id or new_id(), events=list(events))

    def says(self, text: str, **fields: Any) -> Json:
        """Append a reply of the agent's model."""
        return self.append({"type": "reply", "text": text, **fields})

    def commit(self) -> Json:
        """Commit; the result."""
        self.committed = self.call("commitTurn")
        return self.committed

    def rollback(self, **fields: Any) -> Json:
        """Roll back."""
        return self.call("rollbackTurn", **fields)

    def describe(self) -> Json:
        """The attempt's state."""
        return self.call("describeTurn")


def summaries(entries: Iterable[Json]) -> list[str]:
    """Summaries of record entries, in their order."""
    return [entry["summary"] for entry in entries]


def ids(entries: Iterable[Json]) -> list[str]:
    """Ids of record entries, in their order."""
    return [entry["memoryId"] for entry in entries]
