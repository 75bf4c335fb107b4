"""``beginTurn``: open an attempt, one live turn a session at a time (SPEC §4)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import JsonValue

from memoir.domain.config import AgentVersion
from memoir.domain.errors import BadRequest, IdReused, LimitExceeded, NotFound, SessionBusy, TurnEnded, Unsupported
from memoir.domain.events import MAX_EVENT_BYTES, EventType
from memoir.domain.pins import instructions
from memoir.domain.token import execution_token
from memoir.domain.tools import offered
from memoir.domain.turn import Attempt, AttemptId, AttemptStatus, Event, Execution, Session, lease_expired
from memoir.domain.visibility import Reach
from memoir.ports import Beginning
from memoir.protocol import BeginTurn, BeginTurnResult, Tool
from memoir.services.events import event_bytes
from memoir.services.fingerprint import fingerprint
from memoir.services.resources import Resources
from memoir.services.retry import until_settled
from memoir.services.turns import agent_version, pins_of


@dataclass(frozen=True, slots=True)
class _Before:
    """What ``beginTurn`` finds."""

    execution: Execution | None
    attempt: Attempt | None
    session: Session | None
    agent: AgentVersion


def begin_turn(res: Resources, request: BeginTurn) -> BeginTurnResult:
    """Begin an attempt at a turn, or answer again for one that was begun.

    Raises:
        SessionBusy: Another turn of the session is open; the message names it.
        NotFound: The agent or its version is not registered.
        IdReused: The execution or its invocation was begun with other content.
        TurnEnded: The execution is committed.
        BadRequest: Session or invocation do not fit.
    """
    if request.replay_of:
        raise Unsupported("replayOf is not supported yet: leave it out", path="replayOf")
    return until_settled(res.clock, lambda: _begin(res, request))


def _begin(res: Resources, request: BeginTurn) -> BeginTurnResult:
    before = _read(res, request)
    if before.attempt is not None and before.execution is not None:
        if before.attempt.fingerprint != _mark(request):
            raise IdReused(
                "this invocation was begun with other fields: use the next invocationNumber or a new executionId",
                path="executionId",
            )
        return _result(res, before.execution, before.attempt, before.agent)
    _check_session(request, before.agent)
    _check_execution(request, before.execution)
    beginning = _beginning(res, request, before)
    res.turns.begin(beginning)
    return _result(res, beginning.execution, beginning.attempt, before.agent)


def _read(res: Resources, request: BeginTurn) -> _Before:
    attempt_id = AttemptId(request.execution_id, request.invocation_number)
    (execution, attempt), (session, head) = res.gather.gather(
        lambda: res.turns.find(attempt_id),
        lambda: res.gather.gather(
            lambda: res.turns.session(request.action_id, request.session_id) if request.session_id else None,
            lambda: res.agents.head(request.action_id),
        ),
    )
    if head is None:
        raise NotFound(f"agent {request.action_id} is not registered: call registerAgent first", path="actionId")
    if execution and execution.action_id != request.action_id:
        raise IdReused("this execution belongs to another agent: use a new executionId", path="executionId")
    number = execution.action_version if execution else request.version or head.latest
    return _Before(execution, attempt, session, agent_version(res, request.action_id, number))


def _check_session(request: BeginTurn, agent: AgentVersion) -> None:
    if agent.harness.sessions and request.session_id is None:
        raise BadRequest("sessionId is missing: this agent has sessions", path="sessionId")
    if not agent.harness.sessions and request.session_id is not None:
        raise BadRequest("sessionId is not allowed: this agent has harness.sessions false", path="sessionId")


def _check_execution(request: BeginTurn, execution: Execution | None) -> None:
    expected = execution.invocation + 1 if execution else 1
    if execution and execution.fingerprint != _turn_mark(request):
        raise IdReused(
            "a retry keeps session, principal, startedBy, preview and message: use a new executionId for another turn",
            path="executionId",
        )
    if request.invocation_number != expected:
        raise BadRequest(
            f"invocationNumber is {request.invocation_number}; the next one of this execution is {expected}",
            path="invocationNumber",
        )
    if execution and request.version not in (None, execution.action_version):
        raise BadRequest(
            f"version is {request.version}, but retries keep version {execution.action_version} of invocation 1",
            path="version",
        )


def _beginning(res: Resources, request: BeginTurn, before: _Before) -> Beginning:
    now = res.clock.now()
    abandoned = _abandoned(res, request, before, now)
    attempt_id = AttemptId(request.execution_id, request.invocation_number)
    session = _occupied(request, before, attempt_id, now) if request.session_id else None
    turn = before.execution.turn if before.execution else session.next_turn - 1 if session else None
    execution = _execution(request, before, turn, now)
    pinned = _pinned(res, execution, before.agent)
    events = _first_events(request, before.agent, pinned)
    return Beginning(
        execution=execution,
        attempt=Attempt(
            id=attempt_id,
            status=AttemptStatus.OPEN,
            next_sequence=len(events) + 1,
            last_call=now,
            created=now,
            as_of=session.commits if session else 0,
            previous=session.place(preview=request.preview).previous if session else (),
            fingerprint=_mark(request),
            pinned=pinned,
        ),
        session=session,
        session_before=before.session,
        abandon=abandoned,
        events=events,
    )


def _abandoned(res: Resources, request: BeginTurn, before: _Before, now: str) -> tuple[AttemptId, ...]:
    """The open attempts whose place the new one takes.

    Raises:
        SessionBusy: One of them is another execution's and still has its lease.
        TurnEnded: The execution is committed.
    """
    found: list[AttemptId] = []
    if before.execution is not None:
        last = AttemptId(request.execution_id, before.execution.invocation)
        _, attempt = res.turns.find(last)
        if attempt is not None and attempt.status is AttemptStatus.COMMITTED:
            raise TurnEnded(f"invocation {last.number} is committed: begin a new turn", path="invocationNumber")
        if attempt is not None and attempt.status is AttemptStatus.OPEN:
            found.append(last)
    holder = before.session.place(preview=request.preview).open if before.session else None
    if holder is not None and holder.execution_id != request.execution_id:
        _, attempt = res.turns.find(holder)
        if attempt is not None and attempt.status is AttemptStatus.OPEN:
            if not lease_expired(attempt.last_call, now):
                raise SessionBusy(
                    f"execution {holder.execution_id}, invocation {holder.number}, is open in this session since "
                    f"{attempt.created}: commit it, roll it back, or wait until it had no call for 15 minutes",
                    path="sessionId",
                )
            found.append(holder)
    return tuple(found)


def _occupied(request: BeginTurn, before: _Before, attempt: AttemptId, now: str) -> Session:
    session = before.session or Session(
        action_id=request.action_id,
        session_id=request.session_id or "",
        next_turn=1,
        commits=0,
        created=now,
        last_commit="",
    )
    step = 0 if before.execution else 1
    return replace(session.held(attempt, preview=request.preview), next_turn=session.next_turn + step)


def _execution(request: BeginTurn, before: _Before, turn: int | None, now: str) -> Execution:
    if before.execution is not None:
        return replace(before.execution, invocation=request.invocation_number)
    return Execution(
        execution_id=request.execution_id,
        action_id=request.action_id,
        action_version=before.agent.version,
        session_id=request.session_id,
        turn=turn,
        principal=request.principal,
        started_by=request.started_by,
        created=now,
        invocation=request.invocation_number,
        fingerprint=_turn_mark(request),
        time=request.time,
        preview=request.preview,
    )


def _pinned(res: Resources, execution: Execution, agent: AgentVersion) -> tuple[tuple[str, int], ...]:
    """Ids and versions of the pinned records that the turn reads, oldest first (SPEC §8)."""
    if not agent.memory.enabled or agent.memory.pinned is None:
        return ()
    hidden = res.records.hidden(execution.action_id) if execution.preview else {}
    pins = pins_of(res, execution, hidden)
    reading = Reach.reading(agent.harness, execution, hidden)
    found = res.records.get(execution.action_id, list(pins.costs)).values()
    listed = [record for record in found if record.pinned and reading.finds(record)]
    listed.sort(key=lambda record: (record.created, record.memory_id))
    return tuple((record.memory_id, record.version) for record in listed)


def _first_events(request: BeginTurn, agent: AgentVersion, pinned: Sequence[tuple[str, int]]) -> tuple[Event, ...]:
    content: JsonValue = request.message if isinstance(request.message, str) else list(request.message)
    key = "text" if isinstance(request.message, str) else "content"
    message = Event(1, EventType.MESSAGE, None, {key: content, **({"time": request.time} if request.time else {})})
    if (size := event_bytes(message)) > MAX_EVENT_BYTES:
        raise LimitExceeded(
            f"message is {size} bytes as JSON; at most {MAX_EVENT_BYTES} are allowed: send a shorter one",
            path="message",
        )
    if not agent.memory.enabled:
        return (message,)
    listed: list[JsonValue] = [[memory_id, version] for memory_id, version in pinned]
    return (message, Event(2, EventType.MEMORY_PINNED, None, {"records": listed}))


def _result(res: Resources, execution: Execution, attempt: Attempt, agent: AgentVersion) -> BeginTurnResult:
    key = res.secrets.signing_keys[0]
    tools = [Tool(name=o.name, description=o.description, input_schema=o.schema) for o in offered(agent.memory)]
    return BeginTurnResult(
        turn=execution.turn,
        version=execution.action_version,
        instructions=_instructions(res, execution, attempt),
        tools=tuple(tools),
        execution_token=execution_token(attempt.id, agent.action_id, attempt.created, key),
    )


def _instructions(res: Resources, execution: Execution, attempt: Attempt) -> str:
    """The pinned list as this attempt began with it; a record's text never changes."""
    if not attempt.pinned:
        return ""
    records = res.records.get(execution.action_id, [memory_id for memory_id, _ in attempt.pinned])
    return instructions([records[memory_id] for memory_id, _ in attempt.pinned])


def _mark(request: BeginTurn) -> str:
    return fingerprint(request.model_dump(mode="json"))


def _turn_mark(request: BeginTurn) -> str:
    kept = {"action_id", "session_id", "principal", "started_by", "preview", "message"}
    return fingerprint(request.model_dump(mode="json", include=kept))
