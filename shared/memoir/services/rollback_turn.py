"""``rollbackTurn``: end an attempt; its transcript stays, nothing else does (SPEC §4)."""

from memoir.domain.errors import TurnEnded
from memoir.domain.turn import AttemptId, AttemptStatus
from memoir.protocol import RollbackTurn, RollbackTurnResult
from memoir.services.resources import Resources
from memoir.services.retry import until_settled
from memoir.services.turns import load_turn, require_open


def rollback_turn(res: Resources, request: RollbackTurn) -> RollbackTurnResult:
    """Roll the attempt back, or answer again.

    Raises:
        TurnEnded: It is committed.
        TurnAbandoned: Another attempt took its place.
    """
    return until_settled(res.clock, lambda: _rollback(res, request))


def _rollback(res: Resources, request: RollbackTurn) -> RollbackTurnResult:
    turn = load_turn(res, AttemptId(request.execution_id, request.invocation_number))
    status = turn.attempt.status
    if status is AttemptStatus.COMMITTED:
        raise TurnEnded("the turn is committed: delete its records in a new turn instead", path="executionId")
    if status is AttemptStatus.ABANDONED:
        require_open(turn.attempt)
    if status is AttemptStatus.OPEN:
        res.turns.close(turn.loaded, AttemptStatus.ROLLED_BACK, turn.now, reason=request.reason)
    return RollbackTurnResult(status=AttemptStatus.ROLLED_BACK)
