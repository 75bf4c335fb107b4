"""``describeTurn``: where an attempt stands, for a runtime that restarted and for operators (SPEC §4)."""

from memoir.domain.conversation import reached_model
from memoir.domain.errors import BadRequest, NotFound
from memoir.domain.staging import StagedAdd
from memoir.domain.turn import AttemptId, AttemptStatus, Call
from memoir.protocol import DescribeTurn, DescribeTurnResult, OutputUse, StagedWrite
from memoir.services.commit_turn import committed_result
from memoir.services.resources import Resources
from memoir.services.turns import Turn, load_turn


def describe_turn(res: Resources, request: DescribeTurn) -> DescribeTurnResult:
    """Describe an attempt, the newest of an execution, or a session's open one: the live turn's before the preview's.

    Raises:
        BadRequest: Neither an execution nor a session is named, or both.
        NotFound: There is no such attempt.
    """
    turn = load_turn(res, _attempt(res, request))
    execution, attempt = turn.execution, turn.attempt
    committed = attempt.status is AttemptStatus.COMMITTED
    return DescribeTurnResult(
        action_id=execution.action_id,
        version=execution.action_version,
        session_id=execution.session_id,
        turn=execution.turn,
        execution_id=execution.execution_id,
        invocation_number=attempt.id.number,
        status=attempt.status,
        created=attempt.created,
        last_call=attempt.last_call,
        next_sequence=attempt.next_sequence,
        staged=tuple(_staged(call) for call in turn.loaded.calls if call.staged is not None),
        output_uses=_uses(res, turn) if committed else (),
        result=committed_result(res, turn) if committed else None,
        reason=attempt.reason,
    )


def _attempt(res: Resources, request: DescribeTurn) -> AttemptId:
    named = request.execution_id is not None
    if named == (request.action_id is not None):
        raise BadRequest("name either executionId, or actionId with sessionId", path="executionId")
    if request.execution_id is not None:
        if request.session_id is not None:
            raise BadRequest("sessionId goes with actionId: leave it out", path="sessionId")
        return _of_execution(res, request.execution_id, request.invocation_number)
    if request.session_id is None or request.action_id is None:
        raise BadRequest("sessionId is missing: an open turn is found by its session", path="sessionId")
    if request.invocation_number is not None:
        raise BadRequest("invocationNumber goes with executionId: leave it out", path="invocationNumber")
    session = res.turns.session(request.action_id, request.session_id)
    opened = (session.live.open or session.preview.open) if session else None
    if opened is None:
        raise NotFound("the session has no open turn", path="sessionId")
    return opened


def _of_execution(res: Resources, execution_id: str, number: int | None) -> AttemptId:
    if number is not None:
        return AttemptId(execution_id, number)
    execution, _ = res.turns.find(AttemptId(execution_id, 1))
    if execution is None:
        raise NotFound(f"there is no execution {execution_id}: call beginTurn first", path="executionId")
    return AttemptId(execution_id, execution.invocation)


def _staged(call: Call) -> StagedWrite:
    staged = call.staged
    if isinstance(staged, StagedAdd):
        record = staged.record
        return StagedWrite(
            call_id=call.call_id,
            tool=call.name,
            memory_id=record.memory_id,
            replaces=record.replaces,
            summary=record.summary,
        )
    return StagedWrite(call_id=call.call_id, tool=call.name, memory_id=staged.memory_id if staged else "")


def _uses(res: Resources, turn: Turn) -> tuple[OutputUse, ...]:
    reached = reached_model(turn.loaded.calls, res.turns.replies(turn.attempt.id))
    return tuple(OutputUse(execution_id=one, kind="RETRIEVED") for one in reached)
