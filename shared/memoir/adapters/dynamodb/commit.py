"""The one transaction of a commit (DESIGN "Commit" step 4): at most 97 actions, whatever the size of the turn."""

from memoir.adapters.dynamodb import codec, entries, keys
from memoir.adapters.dynamodb.records_codec import record_item, version_fields
from memoir.adapters.dynamodb.requests import Action, Requests
from memoir.adapters.dynamodb.values import Item, Plain, item, squeeze, to_json
from memoir.domain.changes import ChangeSet, Lock, Shadow, Update
from memoir.domain.pins import PinList
from memoir.domain.record import Record, Scope
from memoir.domain.turn import AttemptStatus, Session
from memoir.ports import Commit
from memoir.schema import GSI_LIST, GSI_SWEEP, OUTBOX_SHARDS


def commit_actions(memory: Requests, transcript: Requests, commit: Commit) -> list[Action]:
    """Everything that the commit writes."""
    actions = [_attempt(memory, commit)]
    for event in commit.events:
        actions += [transcript.put(one) for one in entries.event_items(commit.attempt.id, event)]
    if commit.session is not None:
        actions.append(_session(memory, commit, commit.session))
        if commit.listed is not None:
            actions.append(memory.put(entries.listed_item(commit.execution, commit.session.session_id, commit.listed)))
    actions.append(memory.put_new(_turn(commit)))
    changes = commit.changes
    actions += [memory.put_new(record_item(record)) for record in changes.written]
    actions += [_lock(memory, lock) for lock in changes.locks]
    actions += [memory.put_new(_shadow(commit.execution.action_id, shadow)) for shadow in changes.shadows]
    actions += [_update(memory, update) for update in changes.updates]
    if changes.changed:
        actions.append(memory.put_new(outbox_item(commit)))
    if commit.pins is not None:
        execution, before, after = commit.execution, commit.pins.before, commit.pins.after
        sk = keys.pins(preview=execution.preview)
        actions.append(_pins(memory, (keys.agent(execution.action_id), sk), before.agent, after.agent))
        session = keys.session(execution.action_id, execution.session_id)
        actions.append(_pins(memory, (session, sk), before.session, after.session))
    return actions


def _shadow(action_id: str, shadow: Shadow) -> Item:
    return item(keys.shadows(action_id), keys.shadow(shadow.live_id), {"preview_id": shadow.preview_id})


def _pins(memory: Requests, key: tuple[str, str], before: PinList, after: PinList) -> Action:
    """One scope's list as it will be, or, when it stays, that it is still as read: both count for the budget."""
    condition = "revision = :revision" if before.revision else "attribute_not_exists(pk)"
    values = {"revision": before.revision} if before.revision else {}
    if after == before:
        return memory.check(key[0], key[1], condition, **values)
    stored = item(*key, {"pins": to_json(list(after.costs.items())), "revision": after.revision})
    return memory.put(stored, condition, **values)


def _attempt(memory: Requests, commit: Commit) -> Action:
    attempt = commit.attempt
    return memory.update(
        keys.execution(attempt.id.execution_id),
        keys.attempt(attempt.id.number),
        "SET #status = :committed, outcome = :outcome, last_call = :now, #next = :after",
        "#status = :open AND #next = :next AND pending = :none",
        committed=AttemptStatus.COMMITTED.value,
        outcome=squeeze(to_json(commit.outcome)),
        now=commit.now,
        open=AttemptStatus.OPEN.value,
        next=attempt.next_sequence,
        after=attempt.next_sequence + len(commit.events),
        none=0,
    )


def _session(memory: Requests, commit: Commit, session: Session) -> Action:
    after = session.committed(commit.attempt.id, commit.now, preview=commit.execution.preview, pending=commit.pending)
    held = codec.holder_name(preview=commit.execution.preview)
    return memory.update(
        keys.session(session.action_id, session.session_id),
        keys.SESSION,
        "SET commits = :commits, last_commit = :now, previous = :previous, preview_previous = :preview_previous,"
        f" pending = :pending, preview_pending = :preview_pending REMOVE {held}",
        f"{held} = :me AND commits = :before",
        commits=after.commits,
        now=after.last_commit,
        previous=codec.attempts_text(after.live.previous),
        preview_previous=codec.attempts_text(after.preview.previous),
        pending=codec.pending_text(after.live.pending),
        preview_pending=codec.pending_text(after.preview.pending),
        me=codec.attempt_text(commit.attempt.id),
        before=session.commits,
    )


def _turn(commit: Commit) -> Item:
    execution = commit.execution
    fields: dict[str, Plain | None] = {
        "execution": execution.execution_id,
        "invocation": commit.attempt.id.number,
        "preview": execution.preview,
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
        "preview": execution.preview,
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
