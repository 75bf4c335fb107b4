"""Executions, attempts and sessions in DynamoDB: one transaction a step (DESIGN "Commit" step 0)."""

from pydantic import JsonValue

from memoir.adapters.dynamodb import codec, entries, keys
from memoir.adapters.dynamodb.commit import commit_actions
from memoir.adapters.dynamodb.requests import Action, Requests
from memoir.adapters.dynamodb.reviews import Reviews
from memoir.adapters.dynamodb.transcript import Transcript
from memoir.adapters.dynamodb.values import Plain, squeeze, to_json
from memoir.domain.turn import Attempt, AttemptId, AttemptStatus, Execution, Listed, LogEntry, Session
from memoir.ports import Beginning, Commit, LoadedTurn

JsonDict = dict[str, JsonValue]


class DynamoTurnStore(Transcript, Reviews):
    """``TurnStore`` over both tables."""

    def __init__(self, memory: Requests, transcript: Requests) -> None:
        super().__init__(memory, transcript)

    def load(self, attempt: AttemptId) -> LoadedTurn | None:
        """The attempt with its execution and its whole log, in one round trip."""
        (execution, found), log = self._memory.gather.gather(lambda: self.find(attempt), lambda: self._log(attempt))
        return LoadedTurn(execution, found, log) if execution is not None and found is not None else None

    def find(self, attempt: AttemptId) -> tuple[Execution | None, Attempt | None]:
        """The execution and the attempt, each if it is there."""
        pk = keys.execution(attempt.execution_id)
        found = {
            one["sk"]: one for one in self._memory.get_all([(pk, keys.EXECUTION), (pk, keys.attempt(attempt.number))])
        }
        execution, stored = found.get(keys.EXECUTION), found.get(keys.attempt(attempt.number))
        return (
            codec.execution_from(execution) if execution else None,
            codec.attempt_from(stored) if stored else None,
        )

    def _log(self, attempt: AttemptId) -> tuple[LogEntry, ...]:
        logged: list[LogEntry] = [
            entries.drop_from(found) if found["sk"].startswith(f"{keys.LOG}D#") else entries.call_from(found)
            for found in self._transcript.query(keys.transcript(attempt), keys.LOG)
        ]
        return tuple(sorted(logged, key=lambda entry: entry.sequence))

    def session(self, action_id: str, session_id: str) -> Session | None:
        """A session."""
        found = self._memory.get(keys.session(action_id, session_id), keys.SESSION)
        return codec.session_from(found) if found else None

    def listed(self, action_id: str, session_id: str, *, preview: bool = False) -> tuple[Listed, ...]:
        """Recalls of the session's committed turns that are still in context, oldest first."""
        found = self._memory.get(keys.session(action_id, session_id), keys.listed(preview=preview))
        return entries.listed_from(found) if found else ()

    def begin(self, beginning: Beginning) -> None:
        """Store a new attempt with its first events; abandon those whose place it takes."""
        attempt = beginning.attempt.id
        by = f"taken over by execution {attempt.execution_id}, invocation {attempt.number}"
        actions = [self._execution(beginning.execution), self._memory.put_new(codec.attempt_item(beginning.attempt))]
        actions += [self._abandon(one, by) for one in beginning.abandon]
        if beginning.session is not None:
            actions.append(self._session(beginning.session, beginning.session_before))
        for event in beginning.events:
            actions += [self._transcript.put(one) for one in entries.event_items(attempt, event)]
        self._memory.transact(actions)

    def _execution(self, execution: Execution) -> Action:
        stored = codec.execution_item(execution)
        if execution.invocation == 1:
            return self._memory.put_new(stored)
        return self._memory.put(stored, "invocation = :before", before=execution.invocation - 1)

    def _abandon(self, attempt: AttemptId, reason: str) -> Action:
        return self._memory.update(
            keys.execution(attempt.execution_id),
            keys.attempt(attempt.number),
            "SET #status = :abandoned, reason = :reason",
            "#status = :open",
            abandoned=AttemptStatus.ABANDONED.value,
            reason=reason,
            open=AttemptStatus.OPEN.value,
        )

    def _session(self, session: Session, before: Session | None) -> Action:
        stored = codec.session_item(session)
        if before is None:
            return self._memory.put_new(stored)
        conditions = ["next_turn = :turn", "commits = :commits"]
        values: dict[str, Plain] = {"turn": before.next_turn, "commits": before.commits}
        for mode in (False, True):
            name, holder = codec.holder_name(preview=mode), codec.holder_text(before, preview=mode)
            conditions.append(f"{name} = :{name}" if holder else f"attribute_not_exists({name})")
            values |= {name: holder} if holder else {}
        return self._memory.put(stored, " AND ".join(conditions), **values)

    def close(
        self,
        loaded: LoadedTurn,
        status: AttemptStatus,
        now: str,
        *,
        reason: str | None = None,
        outcome: JsonDict | None = None,
    ) -> None:
        """End an OPEN attempt without a commit and free its session."""
        attempt, execution = loaded.attempt.id, loaded.execution
        change = "SET #status = :status, last_call = :now"
        values: dict[str, Plain] = {"status": status.value, "now": now, "open": AttemptStatus.OPEN.value}
        if reason is not None:
            change, values["reason"] = change + ", reason = :reason", reason
        if outcome is not None:
            change, values["outcome"] = change + ", outcome = :outcome", squeeze(to_json(outcome))
        pk, sk = keys.execution(attempt.execution_id), keys.attempt(attempt.number)
        actions = [self._memory.update(pk, sk, change, "#status = :open", **values)]
        if execution.session_id is not None:
            session = keys.session(execution.action_id, execution.session_id)
            me = codec.attempt_text(attempt)
            held = codec.holder_name(preview=execution.preview)
            actions.append(self._memory.update(session, keys.SESSION, f"REMOVE {held}", f"{held} = :me", me=me))
        self._memory.transact(actions)

    def commit(self, commit: Commit) -> None:
        """Write everything of the turn in one transaction."""
        self._memory.transact(commit_actions(self._memory, self._transcript, commit))
