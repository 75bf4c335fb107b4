"""One call through Lambda's ``Invoke``, repeated while that helps: every operation is idempotent (SPEC §4)."""

import json
import random
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError, IncompleteReadError
from botocore.exceptions import ConnectionError as NoConnection
from pydantic import BaseModel, ValidationError

from memoir.client._errors import (
    FunctionFailed,
    FunctionUnreachable,
    InvalidReply,
    MemoirCallError,
    MemoirClientError,
)
from memoir.domain.errors import ErrorCode
from memoir.domain.faults import describe_faults, faults_of
from memoir.protocol import ErrorBody

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient

R = TypeVar("R", bound=BaseModel)
_LATER = frozenset({"TooManyRequestsException", "ResourceConflictException", "SnapStartNotReadyException"})
"""Lambda's own refusals below 500 that pass: throttles, a function that is being updated or restored."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long a call is repeated, with waits that double and vary.

    Attributes:
        total_wait: Seconds waited in all, for one call; a busy session is waited for no longer than this.
        first_wait: Seconds of the first wait, at most.
        longest_wait: Seconds of any wait, at most.
        faults: Crashes and time-outs of the function in one call before it gives up; each may take the function's
            whole time limit.
        sleep: Waits that many seconds.
        jitter: A random number from 0 to 1.
    """

    total_wait: float = 30.0
    first_wait: float = 0.1
    longest_wait: float = 5.0
    faults: int = 4
    sleep: Callable[[float], None] = time.sleep
    jitter: Callable[[], float] = random.random

    def waits(self) -> Iterator[float]:
        """Seconds to wait before each repetition, between half of the current ceiling and all of it."""
        left, ceiling = self.total_wait, self.first_wait
        while left > 0:
            wait = min(ceiling * (1 + self.jitter()) / 2, left)
            yield wait
            left -= wait
            ceiling = min(ceiling * 2, self.longest_wait)


def build(model: type[R], fields: Mapping[str, object], **always: object) -> R:
    """A checked request, so that a fault is named before anything is sent.

    Args:
        model: The request's type.
        fields: By Python name; ``None`` means not given.
        always: Fields that are given also when they are ``None``.

    Raises:
        MemoirCallError: ``BAD_REQUEST``, as memoir would answer.
    """
    try:
        return model.model_validate({name: value for name, value in fields.items() if value is not None} | always)
    except ValidationError as exc:
        faults = faults_of(exc)
        raise MemoirCallError(ErrorCode.BAD_REQUEST, describe_faults(faults), path=faults[0].path) from exc


class Transport:
    """Sends requests to the ``agent_runtime`` function.

    Args:
        client: boto3's Lambda client, best with ``lambda_config()``.
        function_name: Name or ARN of the function.
        retry: When to repeat a call.
    """

    def __init__(self, client: "LambdaClient", function_name: str, retry: RetryPolicy) -> None:
        self._client = client
        self._function_name = function_name
        self._retry = retry

    def call(self, request: BaseModel, result: type[R], *, patient: bool = True) -> R:
        """Send a request until it is answered.

        Args:
            request: What to send; its ids stay the same.
            result: The type of its answer.
            patient: Whether it may be repeated.

        Raises:
            MemoirClientError: It was refused, or every repetition failed; the last failure.
        """
        payload, attempts, faults = _encode(request), 1, 0
        waits = self._retry.waits() if patient else iter(())
        while True:
            try:
                return self._once(payload, result)
            except MemoirClientError as error:
                faults += isinstance(error, FunctionFailed)
                wait = next(waits, None) if error.retriable and faults < self._retry.faults else None
                if wait is None:
                    if attempts > 1:
                        error.add_note(f"given up after {attempts} attempts of the same call")
                    raise
            attempts += 1
            self._retry.sleep(wait)

    def _once(self, payload: bytes, result: type[R]) -> R:
        try:
            response = self._client.invoke(
                FunctionName=self._function_name, InvocationType="RequestResponse", Payload=payload
            )
            body = response["Payload"].read()
        except ClientError as exc:
            raise FunctionUnreachable(f"Lambda refused the call: {exc}", retriable=_passes(exc)) from exc
        except (NoConnection, HTTPClientError, IncompleteReadError) as exc:
            raise FunctionUnreachable(f"Lambda did not answer: {exc}", retriable=True) from exc
        except BotoCoreError as exc:
            raise FunctionUnreachable(f"the call could not be made: {exc}", retriable=False) from exc
        if response.get("FunctionError"):
            raise FunctionFailed(f"the function ended without an answer: {body.decode(errors='replace')[:2000]}")
        return _decode(body, result)


def _passes(refusal: ClientError) -> bool:
    status = refusal.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    code = refusal.response.get("Error", {}).get("Code", "")
    return status >= 500 or status == 429 or code in _LATER


def _encode(request: BaseModel) -> bytes:
    # NOTE: exclude_unset, not exclude_none: a tool's result may be null.
    document = request.model_dump(mode="json", exclude_unset=True)
    try:
        text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ValueError as exc:
        raise MemoirCallError(ErrorCode.BAD_REQUEST, "NaN and infinity are not JSON: send null or text") from exc
    # NOTE: half a character inside a tool's data cannot be UTF-8; escaped, memoir sees it and names its place.
    return text.encode() if _is_utf8(text) else json.dumps(document, separators=(",", ":")).encode()


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _decode(body: bytes, result: type[R]) -> R:
    try:
        reply = json.loads(body)
        if "error" in reply:
            # Fields that a newer function adds are ignored, here and in results.
            error = ErrorBody.model_validate_json(json.dumps(reply["error"]), extra="ignore")
            raise MemoirCallError(error.code, error.message, retriable=error.retriable, path=error.path)
        return result.model_validate_json(json.dumps(reply["result"]), extra="ignore")
    except (ValueError, KeyError, TypeError) as exc:
        # NOTE: no text of the reply in the message: it may hold memories, and messages of errors are logged.
        raise InvalidReply(f"the reply is no {result.__name__} of this protocol ({type(exc).__name__})") from exc
