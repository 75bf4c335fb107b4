"""The ports in memory, kept honest by ``tests/contracts``: the same conditions, the same errors, no I/O."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from memoir.domain.config import AgentHead, AgentVersion
from memoir.domain.embedding import EmbedderProfile, Embedding
from memoir.domain.errors import EmbedderUnavailable
from memoir.domain.pins import PinList, Pins
from memoir.domain.record import Record, RecordVector, Scope
from memoir.domain.vectors import normalise
from memoir.ports import Commit, Overlay, Raced, Registration, Row

A = TypeVar("A")
B = TypeVar("B")
PROFILE = EmbedderProfile("fake", dimensions=16, floor=0.0, min_score=0.5, part_bytes=400)


class FakeClock:
    """Time that stands still until it is moved."""

    def __init__(self) -> None:
        self.time = datetime(2026, 12, 1, 9, tzinfo=UTC)
        self.pauses: list[int] = []

    def now(self) -> str:
        return self.time.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def move(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)

    def pause(self, tried: int) -> None:
        self.pauses.append(tried)


class FakeIds:
    """Names in order."""

    def __init__(self) -> None:
        self._count = itertools.count(1)

    def uuid7(self) -> str:
        return f"00000000-0000-7000-8000-{next(self._count):012x}"

    def nonce(self) -> str:
        return f"nonce-{next(self._count):010}"


class FakeGather:
    """One after the other."""

    def gather(self, first: Callable[[], A], second: Callable[[], B]) -> tuple[A, B]:
        return first(), second()

    def each(self, calls: Sequence[Callable[[], A]]) -> list[A]:
        return [call() for call in calls]


class FakeEmbedder:
    """Vectors that count characters; ``down`` makes it unavailable."""

    profile = PROFILE

    def __init__(self) -> None:
        self.down = False

    def embed_query(self, text: str) -> Embedding:
        if self.down:
            raise EmbedderUnavailable("down")
        values = [0.01] * PROFILE.dimensions
        for character in text.casefold():
            values[ord(character) % PROFILE.dimensions] += 1.0
        return Embedding(normalise(values), max(1, len(text) // 4))

    def embed_documents(self, texts: Sequence[str]) -> list[Embedding | None]:
        return [self.embed_query(text) for text in texts]


class FakeAgents:
    """``AgentStore``."""

    def __init__(self) -> None:
        self.heads: dict[str, AgentHead] = {}
        self.versions: dict[tuple[str, int], AgentVersion] = {}
        self.requests: dict[tuple[str, str], tuple[str, int]] = {}

    def head(self, action_id: str) -> AgentHead | None:
        return self.heads.get(action_id)

    def version(self, action_id: str, number: int) -> AgentVersion | None:
        return self.versions.get((action_id, number))

    def registration(self, action_id: str, request_id: str) -> tuple[str, int] | None:
        return self.requests.get((action_id, request_id))

    def register(
        self, version: AgentVersion | None, head: AgentHead, expected: AgentHead | None, request: Registration | None
    ) -> None:
        named = (head.action_id, request.request_id) if request else None
        taken = version is not None and (head.action_id, version.version) in self.versions
        if self.heads.get(head.action_id) != expected or named in self.requests or taken:
            raise Raced
        self.heads[head.action_id] = head
        if version is not None:
            self.versions[head.action_id, version.version] = version
        if request is not None:
            self.requests[head.action_id, request.request_id] = (request.fingerprint, request.version)


class FakeRecords:
    """``RecordStore``; every commit waits for the index for ever."""

    def __init__(self) -> None:
        self.records: dict[tuple[str, str], Record] = {}
        self.locks: dict[str, str] = {}
        self.commits: list[Commit] = []
        self.pin_lists: dict[tuple[str, str | None, bool, bool], PinList] = {}
        self.shadows: dict[str, dict[str, str]] = {}

    def hidden(self, action_id: str) -> dict[str, str]:
        return self.shadows.get(action_id, {})

    def pins(self, action_id: str, session_id: str | None, *, preview: bool = False) -> Pins:
        agent, session = pin_keys(action_id, session_id, preview=preview)
        return Pins(self.pin_lists.get(agent, PinList()), self.pin_lists.get(session, PinList()))

    def get(self, action_id: str, memory_ids: Sequence[str]) -> dict[str, Record]:
        return {one: self.records[action_id, one] for one in memory_ids if (action_id, one) in self.records}

    def holders(self, duplicate_keys: Sequence[str]) -> dict[str, str]:
        return {key: self.locks[key] for key in duplicate_keys if key in self.locks}

    def newest(
        self, action_id: str, session_id: str | None, before: Row | None, limit: int, *, preview: bool = False
    ) -> list[Row]:
        rows = [
            Row(one.created, one.memory_id)
            for (agent, _), one in self.records.items()
            if agent == action_id and one.active and one.preview == preview and _in(one, session_id)
        ]
        kept = [row for row in rows if before is None or _place(row) < _place(before)]
        return sorted(kept, key=_place, reverse=True)[:limit]

    def attach_vector(self, record: Record, vector: RecordVector) -> None:
        key = record.action_id, record.memory_id
        if key not in self.records:
            raise Raced
        self.records[key] = replace(self.records[key], vector=vector)

    def overlay(self, action_id: str, session_id: str | None, *, agent: bool, preview: bool = False) -> Overlay:
        changed = [
            record
            for commit in reversed(self.commits)
            if commit.execution.action_id == action_id and (preview or not commit.execution.preview)
            for record in commit.changes.changed
            if (record.scope is Scope.AGENT and agent) or (record.scope is Scope.SESSION and _in(record, session_id))
        ]
        added = tuple(Row(one.created, one.memory_id) for one in changed if one.version == 1)
        return Overlay(tuple(dict.fromkeys(one.memory_id for one in changed)), added, behind=False)


def pin_keys(action_id: str, session_id: str | None, *, preview: bool) -> list[tuple[str, str | None, bool, bool]]:
    """Keys of the agent's and the session's pinned lists of one mode."""
    return [(action_id, None, False, preview), (action_id, session_id, True, preview)]


def _in(record: Record, session_id: str | None) -> bool:
    return (record.session_id if record.scope is Scope.SESSION else None) == session_id


def _place(row: Row) -> tuple[str, str]:
    return row.created, row.memory_id
