"""The one transaction of a commit (DESIGN "Commit" step 4): at most 97 actions, whatever the size of the turn."""

from memoir.adapters.dynamodb import codec, keys
from memoir.adapters.dynamodb.records_codec import record_item, version_fields
from memoir.adapters.dynamodb.requests import Action, Requests
from memoir.adapters.dynamodb.values import Item, Plain, item, squeeze, to_json
from memoir.domain.changes import ChangeSet, Lock, Update
from memoir.domain.pins import PinList
from memoir.domain.record import Record, Scope
from memoir.domain.turn import AttemptStatus, Session
from memoir.ports import Commit
from memoir.schema import GSI_LIST, GSI_SWEEP, OUTBOX_SHARDS

PREVIOUS = 2
"""Committed attempts that a session remembers, for the query of a recall."""


def commit_actions(memory: Requests, commit: Commit) -> list[Action]:
    """Everything that the commit writes."""
    actions = [_attempt(memory, commit)]
    if commit.session is not None:
        actions.append(_session(memory, commit, commit.session))
        if commit.listed is not None:
            listed = codec.listed_item(commit.session.action_id, commit.session.session_id, commit.listed)
            actions.append(memory.put(listed))
    actions.append(memory.put_new(_turn(commit)))
    changes = commit.changes
    actions += [memory.put_new(record_item(record)) for record in changes.written]
    actions += [_lock(memory, lock) for lock in changes.locks]
    actions += [_update(memory, update) for update in changes.updates]
    if changes.changed:
        actions.append(memory.put_new(outbox_item(commit)))
    if commit.pins is not None:
        execution, before, after = commit.execution, commit.pins.before, commit.pins.after
        actions.append(_pins(memory, keys.agent(execution.action_id), before.agent, after.agent))
        session = keys.session(execution.action_id, execution.session_id)
        actions.append(_pins(memory, session, before.session, after.session))
    return actions


def _pins(memory: Requests, partition: str, before: PinList, after: PinList) -> Action:
    """One scope's list as it will be, or, when it stays, that it is still as read: both count for the budget."""
    condition = "revision = :revision" if before.revision else "attribute_not_exists(pk)"
    values = {"revision": before.revision} if before.revision else {}
    if after == before:
        return memory.check(partition, keys.PINS, condition, **values)
    stored = item(partition, keys.PINS, {"pins": to_json(list(after.costs.items())), "revision": after.revision})
    return memory.put(stored, condition, **values)


def _attempt(memory: Requests, commit: Commit) -> Action:
    attempt = commit.attempt
    return memory.update(
        keys.execution(attempt.id.execution_id),
        keys.attempt(attempt.id.number),
        "SET #status = :committed, outcome = :outcome, last_call = :now",
        "#status = :open AND #next = :next AND pending = :none",
        committed=AttemptStatus.COMMITTED.value,
        outcome=squeeze(to_json(commit.outcome)),
        now=commit.now,
        open=AttemptStatus.OPEN.value,
        next=attempt.next_sequence,
        none=0,
    )


def _session(memory: Requests, commit: Commit, session: Session) -> Action:
    previous = (commit.attempt.id, *session.previous)[:PREVIOUS]
    return memory.update(
        keys.session(session.action_id, session.session_id),
        keys.SESSION,
        "SET commits = :commits, last_commit = :now, previous = :previous REMOVE #open",
        "#open = :me AND commits = :before",
        commits=session.commits + 1,
        now=commit.now,
        previous=codec.attempts_text(previous),
        me=codec.attempt_text(commit.attempt.id),
        before=session.commits,
    )


def _turn(commit: Commit) -> Item:
    execution = commit.execution
    fields: dict[str, Plain | None] = {
        "execution": execution.execution_id,
        "invocation": commit.attempt.id.number,
        "preview": False,
        "ordinal": commit.session.commits + 1 if commit.session else None,
        "as_of": commit.attempt.as_of,
        "created": commit.now,
        "records": " ".join(record.memory_id for record in commit.changes.changed),
    }
    partition = keys.session(execution.action_id, execution.session_id)
    return item(partition, keys.turn(execution.turn, execution.execution_id), fields)


def _lock(memory: Requests, lock: Lock) -> Action:
    stored = item(keys.lock(lock.key), keys.LOCK, {"holder_id": lock.memory_id})
    if lock.expected is None:
        return memory.put_new(stored)
    return memory.put(stored, "holder_id = :before", before=lock.expected)


def _update(memory: Requests, update: Update) -> Action:
    fields = version_fields(update.after)
    return memory.update(
        keys.record(update.after.action_id, update.after.memory_id),
        keys.RECORD,
        f"SET version = :version, #status = :status, changes = :changes REMOVE {GSI_LIST}pk, {GSI_LIST}sk",
        "version = :before",
        before=update.before.version,
        **fields,
    )


def outbox_item(commit: Commit) -> Item:
    """What the commit changed, for the index and for readers who cannot wait for it.

    It lies with the session, or with the agent when agent scope changed, where every session of the agent looks.
    """
    execution = commit.execution
    agent, session = _by_scope(commit.changes)
    partition = keys.agent(execution.action_id) if agent else keys.session(execution.action_id, execution.session_id)
    fields: dict[str, Plain | None] = {
        "agent": execution.action_id,
        "session": execution.session_id,
        "turn": execution.turn,
        "created": commit.now,
        "agent_records": to_json(agent),
        "session_records": to_json(session),
        f"{GSI_SWEEP}pk": outbox_shard(execution.action_id),
        f"{GSI_SWEEP}sk": keys.row(commit.now, commit.outbox_id),
    }
    return item(partition, keys.outbox(commit.outbox_id), fields)


def outbox_shard(action_id: str) -> str:
    """The sweep's partition of an agent's outbox items."""
    return shards()[int(action_id[-8:], 16) % OUTBOX_SHARDS]


def shards() -> list[str]:
    """All partitions that the sweep looks at."""
    return [f"O#{number}" for number in range(OUTBOX_SHARDS)]


def _by_scope(changes: ChangeSet) -> tuple[list[list[str | int]], list[list[str | int]]]:
    def rows(scope: Scope) -> list[list[str | int]]:
        return [_row(record) for record in changes.changed if record.scope is scope]

    return rows(Scope.AGENT), rows(Scope.SESSION)


def _row(record: Record) -> list[str | int]:
    return [record.memory_id, record.version]
