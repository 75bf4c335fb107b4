"""The Invoke API on loopback answers boto3's own client as Lambda does (SPEC §14)."""

import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.exceptions import ClientError

from infra.local.lambda_api import LambdaApi
from infra.local.pool import FunctionPool
from memoir.client import lambda_config
from memoir.schema import FunctionDefinition

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient


@dataclass(frozen=True)
class Odd(FunctionDefinition):
    """A function of ``tests.infra.odd_functions``."""

    @property
    def handler(self) -> str:
        """Where the worker finds it."""
        return f"tests.infra.odd_functions:{self.key}"


KEYS = ("echo", "raises", "sleeps", "dies", "counts", "long", "process")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator["LambdaClient"]:
    log = tmp_path_factory.mktemp("logs") / "function.log"
    odd = [Odd(key, timeout=1 if key == "sleeps" else 20, memory=128) for key in KEYS]
    pools = {function.name: FunctionPool(function, {}, log, 2) for function in odd}
    api = LambdaApi(pools)
    yield boto3.Session("any", "any", region_name="us-east-1").client(
        "lambda", endpoint_url=api.endpoint, config=lambda_config()
    )
    for pool in pools.values():
        pool.stop()
    api.stop()


@dataclass(frozen=True)
class Answer:
    """What boto3 gives back."""

    payload: Any
    error: str | None
    status: int


Invoke = Callable[..., Answer]


@pytest.fixture(scope="module")
def invoke(client: "LambdaClient") -> Invoke:
    def call(name: str, event: Any = None, **options: Any) -> Answer:
        answer = client.invoke(FunctionName=f"memoir-{name}", Payload=json.dumps(event), **options)
        body = answer["Payload"].read()
        return Answer(json.loads(body) if body else None, answer.get("FunctionError"), answer["StatusCode"])

    return call


def test_an_event_comes_back_as_the_handler_returned_it(invoke: Invoke) -> None:
    event = {"text": "é 日本 \x00 \U0001f600", "numbers": [1, 1.5, None, True]}
    assert invoke("echo", event) == Answer(event, None, 200)


def test_a_handler_that_raises_is_a_function_error_with_its_type_and_message(invoke: Invoke) -> None:
    answer = invoke("raises")
    assert (answer.error, answer.status) == ("Unhandled", 200)
    assert (answer.payload["errorType"], answer.payload["errorMessage"]) == ("ValueError", "of no use")


def test_a_handler_that_takes_too_long_is_killed_and_the_next_one_answers(invoke: Invoke) -> None:
    answer = invoke("sleeps")
    assert answer.error == "Unhandled"
    assert answer.payload["errorType"] == "Sandbox.Timedout"
    assert "1.00 seconds" in answer.payload["errorMessage"]


def test_a_process_that_ends_is_a_function_error_with_its_exit_status(invoke: Invoke) -> None:
    answer = invoke("dies")
    assert answer.payload["errorType"] == "Runtime.ExitError"
    assert "exit status 3" in answer.payload["errorMessage"]


def test_a_reply_over_six_megabytes_is_a_function_error(invoke: Invoke) -> None:
    answer = invoke("long")
    assert answer.payload["errorType"] == "Function.ResponseSizeTooLarge"


def test_a_request_over_six_megabytes_is_refused_before_the_function(client: "LambdaClient") -> None:
    with pytest.raises(ClientError) as caught:
        client.invoke(FunctionName="memoir-echo", Payload=json.dumps("x" * 6_300_000))
    assert caught.value.response["Error"]["Code"] == "RequestTooLargeException"
    assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == 413


def test_an_unknown_function_is_told_by_name(client: "LambdaClient") -> None:
    with pytest.raises(ClientError) as caught:
        client.invoke(FunctionName="memoir-nothing", Payload="{}")
    assert caught.value.response["Error"]["Code"] == "ResourceNotFoundException"
    assert "memoir-nothing" in caught.value.response["Error"]["Message"]


def test_a_payload_that_is_no_json_is_refused(client: "LambdaClient") -> None:
    with pytest.raises(ClientError) as caught:
        client.invoke(FunctionName="memoir-echo", Payload="{")
    assert caught.value.response["Error"]["Code"] == "InvalidRequestContentException"


def test_a_function_is_found_by_its_arn_and_with_a_qualifier(client: "LambdaClient") -> None:
    for name in ("arn:aws:lambda:us-east-1:123456789012:function:memoir-echo", "memoir-echo:$LATEST"):
        assert json.loads(client.invoke(FunctionName=name, Payload="7")["Payload"].read()) == 7


def test_an_event_invocation_answers_at_once_and_is_tried_again_after_an_error(invoke: Invoke, tmp_path: Path) -> None:
    file = tmp_path / "runs"
    assert invoke("counts", {"file": str(file)}, InvocationType="Event") == Answer(None, None, 202)
    ends = time.monotonic() + 20
    while not (file.exists() and file.read_text() == "xx"):
        assert time.monotonic() < ends, "it was not tried again"
        time.sleep(0.02)


def test_a_dry_run_runs_nothing(invoke: Invoke, tmp_path: Path) -> None:
    file = tmp_path / "runs"
    assert invoke("counts", {"file": str(file)}, InvocationType="DryRun") == Answer(None, None, 204)
    assert not file.exists()


def test_calls_side_by_side_run_in_at_most_as_many_processes_as_the_pool_holds(invoke: Invoke) -> None:
    with ThreadPoolExecutor(8) as threads:
        found = [answer.payload for answer in threads.map(lambda _: invoke("process"), range(16))]
    assert 1 <= len(set(found)) <= 2
