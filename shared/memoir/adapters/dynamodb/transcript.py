"""Transcripts in DynamoDB: events where they stay, appends, and the attempt's log (DESIGN "Commit" step 0)."""

from collections.abc import Sequence

from memoir.adapters.dynamodb import entries, keys
from memoir.adapters.dynamodb.requests import Action, Requests
from memoir.adapters.dynamodb.values import Item, item_bytes
from memoir.domain.events import EventType
from memoir.domain.turn import Append, Attempt, AttemptId, AttemptStatus, Call, Drop, Event

MAX_ACTIONS = 80
"""Items of an append that still go into its reserving transaction."""
MAX_BYTES = 2_000_000


class Transcript:
    """The part of ``TurnStore`` that writes and reads transcripts."""

    def __init__(self, memory: Requests, transcript: Requests) -> None:
        self._memory = memory
        self._transcript = transcript

    def record(self, attempt: Attempt, call: Call, events: Sequence[Event], now: str) -> None:
        """Log a call with its events."""
        log, *pieces = entries.call_items(attempt.id, call)
        actions = [self._advance(attempt, len(events), now), self._transcript.put_new(log)]
        actions += [self._transcript.put(one) for one in pieces]
        actions += [self._transcript.put(one) for event in events for one in entries.event_items(attempt.id, event)]
        self._memory.transact(actions)

    def _advance(self, attempt: Attempt, count: int, now: str, *, pending: int = 0) -> Action:
        return self._memory.update(
            keys.execution(attempt.id.execution_id),
            keys.attempt(attempt.id.number),
            "SET #next = :after, last_call = :now, pending = pending + :pending",
            "#status = :open AND #next = :before",
            after=attempt.next_sequence + count,
            now=now,
            pending=pending,
            open=AttemptStatus.OPEN.value,
            before=attempt.next_sequence,
        )

    def find_append(self, attempt: AttemptId, append_id: str) -> Append | None:
        """A reserved append."""
        found = self._transcript.get(keys.transcript(attempt), keys.append(append_id))
        return entries.append_from(found) if found else None

    def append(
        self, attempt: Attempt, append: Append, events: Sequence[Event], drops: Sequence[Drop], now: str
    ) -> None:
        """Reserve sequences and store events."""
        items = [one for event in events for one in entries.event_items(attempt.id, event)]
        small = len(items) + len(drops) <= MAX_ACTIONS and sum(map(item_bytes, items)) <= MAX_BYTES
        noted = [self._transcript.put(entries.drop_item(attempt.id, drop)) for drop in drops] if small else []
        reserved = entries.append_item(attempt.id, append, stored=small)
        actions = [self._advance(attempt, len(events), now, pending=0 if small else 1), *noted]
        actions.append(self._transcript.put_new(reserved))
        actions += [self._transcript.put(one) for one in items] if small else []
        self._memory.transact(actions)
        if not small:
            self._finish(attempt.id, append, [*items, *(entries.drop_item(attempt.id, drop) for drop in drops)])

    def finish_append(self, attempt: AttemptId, append: Append, events: Sequence[Event], drops: Sequence[Drop]) -> None:
        """Store the events of a reserved append again and mark it stored."""
        items = [one for event in events for one in entries.event_items(attempt, event)]
        self._finish(attempt, append, [*items, *(entries.drop_item(attempt, drop) for drop in drops)])

    def _finish(self, attempt: AttemptId, append: Append, items: Sequence[Item]) -> None:
        self._transcript.write_all(items)
        stored = entries.append_item(attempt, append, stored=True)
        self._memory.transact(
            [
                self._transcript.put(stored, "is_stored = :no", no=False),
                self._memory.update(
                    keys.execution(attempt.execution_id),
                    keys.attempt(attempt.number),
                    "SET pending = pending - :one",
                    "pending >= :one",
                    one=1,
                ),
            ]
        )

    def unfinished_appends(self, attempt: AttemptId) -> list[str]:
        """Ids of the appends that are reserved but not stored."""
        found = self._transcript.query(keys.transcript(attempt), keys.APPENDS)
        return [one["id"] for one in found if not one["is_stored"]]

    def opening(self, attempt: AttemptId) -> Event | None:
        """The first event."""
        found = self._transcript.get(keys.transcript(attempt), keys.event(1))
        return entries.event_from(found) if found else None

    def newest_events(self, attempt: AttemptId, limit: int) -> list[Event]:
        """The newest events, newest first: one page."""
        page = self._transcript.query(keys.transcript(attempt), keys.EVENTS, Limit=limit, ScanIndexForward=False)
        return [entries.event_from(one) for one in page]

    def replies(self, attempt: AttemptId) -> dict[str | None, int]:
        """Sequence of the last reply of each conversation."""
        found = self._transcript.query(
            keys.transcript(attempt),
            keys.EVENTS,
            ProjectionExpression="pk, sk, v, helper",
            FilterExpression="#type = :reply",
            ExpressionAttributeNames={"#type": "type"},
            Values={":reply": {"S": EventType.REPLY.value}},
        )
        return {one.get("helper"): int(one["sk"].removeprefix(keys.EVENTS)) for one in found}
