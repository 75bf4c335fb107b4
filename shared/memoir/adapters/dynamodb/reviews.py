"""A review's intent and outcome beside the attempt's transcript, and what it reads (SPEC §7)."""

import json
from collections.abc import Sequence

from memoir.adapters.dynamodb import codec, entries, keys
from memoir.adapters.dynamodb.requests import Requests
from memoir.adapters.dynamodb.values import item, squeeze, to_json, unsqueeze
from memoir.domain.turn import AttemptId, Event, Reviewed, ReviewState, Usage
from memoir.domain.window import REVIEWED


class Reviews:
    """The part of ``TurnStore`` that serves reviews."""

    def __init__(self, memory: Requests, transcript: Requests) -> None:
        self._memory = memory
        self._transcript = transcript

    def said(self, attempt: AttemptId) -> list[Event]:
        """Messages, replies, and results and errors of tools, in order."""
        kinds = {f":t{number}": {"S": kind.value} for number, kind in enumerate(sorted(REVIEWED))}
        found = self._transcript.query(
            keys.transcript(attempt),
            keys.EVENTS,
            FilterExpression=f"#type IN ({', '.join(kinds)})",
            ExpressionAttributeNames={"#type": "type"},
            Values=kinds,
        )
        return [entries.event_from(one) for one in found]

    def committed(self, action_id: str, session_id: str, turns: Sequence[int]) -> dict[int, AttemptId]:
        """The committed attempts of a session's turns."""
        pk = keys.session(action_id, session_id)
        wanted = {keys.turn(number, ""): number for number in turns}
        found = self._memory.get_all([(pk, sk) for sk in wanted])
        return {wanted[one["sk"]]: AttemptId(one["execution"], one["invocation"]) for one in found}

    def review(self, attempt: AttemptId) -> ReviewState | None:
        """The attempt's review, if one was begun."""
        pk = keys.transcript(attempt)
        found = self._transcript.get(pk, keys.REVIEW)
        if found is None:
            return None
        if "learned" not in found:
            return ReviewState(found["deadline"], None)
        stored = json.loads(unsqueeze(found["learned"]))
        staged = [entries.staged_from(one) for one in self._transcript.query(pk, keys.REVIEW_CHANGES)]
        outcome = Reviewed(
            fault=stored["fault"],
            usage=tuple(Usage(*row) for row in stored["usage"]),
            pending=codec.pending_from(stored["pending"]),
            embedded=Usage(*stored["embedded"]) if stored["embedded"] else None,
            candidates=stored["candidates"],
            changes=tuple(one for one in staged if one is not None) if stored["fault"] is None else (),
        )
        return ReviewState(found["deadline"], outcome)

    def begin_review(self, attempt: AttemptId, deadline: str) -> None:
        """Store the intent to review."""
        stored = item(keys.transcript(attempt), keys.REVIEW, {"deadline": deadline})
        self._memory.transact([self._transcript.put_new(stored)])

    def end_review(self, attempt: AttemptId, outcome: Reviewed) -> None:
        """Store what the review came to; its changes first, which count only with it."""
        pk = keys.transcript(attempt)
        self._transcript.write_all(
            [
                item(pk, keys.review_change(number), {"id": change.call_id, **entries.staged_fields(change)})
                for number, change in enumerate(outcome.changes, 1)
            ]
        )
        learned = {
            "fault": outcome.fault,
            "usage": [entries.usage_row(one) for one in outcome.usage],
            "pending": codec.pending_text(outcome.pending),
            "embedded": entries.usage_row(outcome.embedded) if outcome.embedded else None,
            "candidates": outcome.candidates,
        }
        change, condition = "SET learned = :learned", "attribute_exists(pk) AND attribute_not_exists(learned)"
        text = squeeze(to_json(learned))
        self._memory.transact([self._transcript.update(pk, keys.REVIEW, change, condition, learned=text)])
