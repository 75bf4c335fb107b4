"""The client over a scripted Lambda client: how a turn begins and ends, and what is repeated (SPEC §4)."""

import pytest
from botocore.exceptions import EndpointConnectionError, NoCredentialsError, ReadTimeoutError

from memoir.client import ErrorCode, FunctionFailed, FunctionUnreachable, InvalidReply, MemoirCallError, RetryPolicy
from tests.scripted_lambda import (
    AGENT,
    APPENDED,
    BEGUN,
    COMMITTED,
    MEMORY,
    ROLLED_BACK,
    Pauses,
    ScriptedLambda,
    Step,
    answer,
    change,
    client,
    crash,
    refusal,
    throttled,
    tool_answer,
    turn_over,
)


def test_block_begins_the_turn_and_commits_it_on_success() -> None:
    fake = ScriptedLambda(BEGUN, APPENDED, COMMITTED)
    with turn_over(fake) as turn:
        turn.reply("Hello, Maya.")
    assert fake.operations == ["beginTurn", "appendEvents", "commitTurn"]
    assert turn.result is not None
    assert (turn.number, turn.version, turn.instructions, turn.execution_token) == (3, 2, "Mind the pins.", "token")


def test_exception_in_the_block_rolls_back_and_goes_on() -> None:
    fake = ScriptedLambda(BEGUN, ROLLED_BACK)
    with pytest.raises(ZeroDivisionError), turn_over(fake) as turn:
        raise ZeroDivisionError("the user said: my secret")
    assert fake.operations == ["beginTurn", "rollbackTurn"]
    assert fake.requests[1]["reason"] == "ZeroDivisionError"
    assert turn.result is None


def test_interrupt_in_the_block_rolls_back() -> None:
    fake = ScriptedLambda(BEGUN, ROLLED_BACK)
    with pytest.raises(KeyboardInterrupt), turn_over(fake):
        raise KeyboardInterrupt
    assert fake.operations[-1] == "rollbackTurn"


def test_interrupt_in_the_block_waits_for_no_roll_back_that_fails() -> None:
    fake, pauses = ScriptedLambda(BEGUN, crash()), Pauses()
    with pytest.raises(KeyboardInterrupt), turn_over(fake, pauses):
        raise KeyboardInterrupt
    assert pauses.waits == []


def test_failing_roll_back_leaves_the_callers_error_with_a_note() -> None:
    fake = ScriptedLambda(BEGUN, refusal(ErrorCode.NOT_FOUND))
    with pytest.raises(ZeroDivisionError) as caught, turn_over(fake):
        raise ZeroDivisionError
    assert "rolling the turn back failed too: NOT_FOUND: a sentence to act on" in caught.value.__notes__[0]


def test_roll_back_that_cannot_reach_the_function_leaves_the_callers_error() -> None:
    fake = ScriptedLambda(BEGUN, NoCredentialsError())
    with pytest.raises(ZeroDivisionError) as caught, turn_over(fake):
        raise ZeroDivisionError
    assert len(caught.value.__notes__) == 1


def test_leaving_after_an_own_roll_back_commits_nothing() -> None:
    fake = ScriptedLambda(BEGUN, ROLLED_BACK)
    with turn_over(fake) as turn:
        turn.rollback("changed my mind")
    assert fake.operations == ["beginTurn", "rollbackTurn"]
    assert fake.requests[1]["reason"] == "changed my mind"


def test_leaving_after_an_own_commit_sends_no_second_one() -> None:
    fake = ScriptedLambda(BEGUN, COMMITTED)
    with turn_over(fake) as turn:
        assert turn.commit() == turn.result
    assert fake.operations == ["beginTurn", "commitTurn"]


def test_exception_after_an_own_commit_rolls_nothing_back() -> None:
    fake = ScriptedLambda(BEGUN, COMMITTED)
    with pytest.raises(ZeroDivisionError), turn_over(fake) as turn:
        raise ZeroDivisionError(turn.commit())
    assert fake.operations == ["beginTurn", "commitTurn"]


def test_conflict_of_the_commit_is_raised_and_not_rolled_back_again() -> None:
    fake = ScriptedLambda(BEGUN, refusal(ErrorCode.CONFLICT))
    with pytest.raises(MemoirCallError) as caught, turn_over(fake):
        pass
    assert caught.value.code is ErrorCode.CONFLICT
    assert fake.operations == ["beginTurn", "commitTurn"]


def test_conflict_that_the_block_handles_itself_ends_the_turn() -> None:
    fake = ScriptedLambda(BEGUN, refusal(ErrorCode.CONFLICT))
    with turn_over(fake) as turn, pytest.raises(MemoirCallError, match="CONFLICT"):
        turn.commit()
    assert fake.operations == ["beginTurn", "commitTurn"]


def test_commit_that_is_refused_otherwise_frees_the_session() -> None:
    fake = ScriptedLambda(BEGUN, refusal(ErrorCode.LIMIT_EXCEEDED), ROLLED_BACK)
    with pytest.raises(MemoirCallError, match="LIMIT_EXCEEDED"), turn_over(fake):
        pass
    assert fake.operations[-1] == "rollbackTurn"


def test_abandonment_that_the_block_swallows_is_not_taken_for_success() -> None:
    fake = ScriptedLambda(BEGUN, refusal(ErrorCode.TURN_ABANDONED), refusal(ErrorCode.TURN_ABANDONED))
    with pytest.raises(MemoirCallError) as caught, turn_over(fake) as turn, pytest.raises(MemoirCallError):
        turn.recall()
    assert caught.value.code is ErrorCode.TURN_ABANDONED
    assert fake.operations == ["beginTurn", "recall", "commitTurn"]


def test_commit_whose_reply_was_lost_is_repeated_with_the_same_bytes() -> None:
    lost = ReadTimeoutError(endpoint_url="http://127.0.0.1")
    fake = ScriptedLambda(BEGUN, lost, answer(written=[change()]))
    with turn_over(fake) as turn:
        pass
    assert fake.payloads[1] == fake.payloads[2]
    assert turn.result is not None
    assert [change.memory_id for change in turn.result.written] == [MEMORY]


def test_commit_that_is_never_answered_is_not_rolled_back_and_can_be_asked_again() -> None:
    fake = ScriptedLambda(BEGUN, *[crash()] * 3, COMMITTED)
    with pytest.raises(FunctionFailed) as caught, turn_over(fake, Pauses(faults=3)) as turn:
        pass
    assert fake.operations == ["beginTurn", "commitTurn", "commitTurn", "commitTurn"]
    assert "the same call again gives its answer" in "\n".join(caught.value.__notes__)
    assert turn.commit() == turn.result
    assert fake.payloads[1] == fake.payloads[4]


@pytest.mark.parametrize(
    "failure",
    [
        crash(),
        throttled(),
        throttled("ServiceException", 500),
        throttled("ResourceConflictException", 409),
        EndpointConnectionError(endpoint_url="http://127.0.0.1"),
        refusal(ErrorCode.UNAVAILABLE, retriable=True),
        refusal(ErrorCode.MISSING_APPEND, retriable=True),
    ],
)
def test_what_may_pass_is_repeated_with_the_same_ids(failure: Step) -> None:
    fake = ScriptedLambda(BEGUN, failure, tool_answer(), COMMITTED)
    with turn_over(fake) as turn:
        turn.search("tea")
    assert fake.payloads[1] == fake.payloads[2]


@pytest.mark.parametrize(
    ("failure", "error"),
    [
        (throttled("ResourceNotFoundException", 404), FunctionUnreachable),
        (throttled("AccessDeniedException", 403), FunctionUnreachable),
        (NoCredentialsError(), FunctionUnreachable),
        (refusal(ErrorCode.BAD_REQUEST, path="text"), MemoirCallError),
        ({"Payload": b"<html>"}, InvalidReply),
        ({"Payload": b"[]"}, InvalidReply),
        ({"Payload": b'{"result": {"block": 1}}'}, InvalidReply),
        ({"Payload": b'{"error": {"code": "NEW_ONE", "message": "m", "retriable": true}}'}, InvalidReply),
    ],
)
def test_what_cannot_pass_is_raised_at_once(failure: Step, error: type[Exception]) -> None:
    fake = ScriptedLambda(BEGUN, failure, ROLLED_BACK)
    with pytest.raises(error), turn_over(fake) as turn:
        turn.recall("tea")
    assert fake.operations == ["beginTurn", "recall", "rollbackTurn"]


def test_refusal_carries_code_message_and_path() -> None:
    fake = ScriptedLambda(refusal(ErrorCode.INVALID_CONFIG, path="harness.memory.kinds"))
    with pytest.raises(MemoirCallError) as caught:
        client(fake).register_agent(action_id=AGENT, name="desk", harness={"memory": {"kinds": []}})
    error = caught.value
    assert (error.code, error.path, error.retriable) == (ErrorCode.INVALID_CONFIG, "harness.memory.kinds", False)
    assert str(error) == "INVALID_CONFIG: a sentence to act on"


def test_busy_session_is_waited_for_with_growing_waits() -> None:
    busy = refusal(ErrorCode.SESSION_BUSY, retriable=True)
    fake, pauses = ScriptedLambda(busy, busy, busy, BEGUN, COMMITTED), Pauses()
    with turn_over(fake, pauses):
        pass
    assert pauses.waits == [0.1, 0.2, 0.4]
    assert len({*fake.payloads[:4]}) == 1


def test_busy_session_is_waited_for_no_longer_than_the_policy_says() -> None:
    busy = refusal(ErrorCode.SESSION_BUSY, retriable=True)
    fake, pauses = ScriptedLambda(*[busy] * 20), Pauses(total_wait=10)
    with pytest.raises(MemoirCallError) as caught, turn_over(fake, pauses):
        pass
    assert caught.value.code is ErrorCode.SESSION_BUSY
    assert sum(pauses.waits) == pytest.approx(10)
    assert caught.value.__notes__ == [f"given up after {len(fake.payloads)} attempts of the same call"]


def test_waits_vary_between_half_and_all_of_their_ceiling() -> None:
    shortest = RetryPolicy(total_wait=1, jitter=lambda: 0.0).waits()
    assert [next(shortest) for _ in range(3)] == pytest.approx([0.05, 0.1, 0.2])


def test_function_that_keeps_crashing_is_given_up_after_the_policys_faults() -> None:
    fake = ScriptedLambda(*[crash()] * 10)
    with pytest.raises(FunctionFailed, match="timed out"), turn_over(fake, Pauses(faults=4)):
        pass
    assert len(fake.payloads) == 4


def test_begin_that_got_no_answer_begins_the_same_execution_when_entered_again() -> None:
    fake = ScriptedLambda(crash(), BEGUN, COMMITTED)
    turn = turn_over(fake, Pauses(faults=1))
    with pytest.raises(FunctionFailed), turn:
        pass
    with turn:
        pass
    assert fake.payloads[0] == fake.payloads[1]


def test_retry_is_the_next_invocation_of_the_same_execution() -> None:
    fake = ScriptedLambda(BEGUN, ROLLED_BACK, BEGUN, COMMITTED)
    first = turn_over(fake)
    with pytest.raises(ZeroDivisionError), first:
        raise ZeroDivisionError
    with first.retry() as second:
        pass
    assert (second.execution_id, second.invocation_number) == (first.execution_id, 2)
    assert fake.requests[2] == fake.requests[0] | {"invocationNumber": 2}


def test_append_without_an_answer_is_sent_again_before_the_commit() -> None:
    fake = ScriptedLambda(BEGUN, crash(), APPENDED, COMMITTED)
    with turn_over(fake, Pauses(faults=1)) as turn, pytest.raises(FunctionFailed):
        turn.reply("Hello")
    assert fake.operations == ["beginTurn", "appendEvents", "appendEvents", "commitTurn"]
    assert fake.payloads[1] == fake.payloads[2]


def test_append_that_was_refused_is_not_sent_again() -> None:
    fake = ScriptedLambda(BEGUN, refusal(ErrorCode.LIMIT_EXCEEDED), COMMITTED)
    with turn_over(fake) as turn, pytest.raises(MemoirCallError):
        turn.reply("Hello")
    assert fake.operations == ["beginTurn", "appendEvents", "commitTurn"]
