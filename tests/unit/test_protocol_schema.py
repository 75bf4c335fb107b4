"""The published JSON Schema is the models, and describes what callers in other languages send (SPEC §4)."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

from functions.agent_runtime.requests import parse_request
from infra.protocol_schema import rendered
from memoir.domain.errors import BadRequest
from memoir.protocol import OPERATIONS

ROOT = Path(__file__).parents[2]
FILE = ROOT / "docs" / "protocol.schema.json"
EVENTS = sorted((ROOT / "events" / "agent_runtime").glob("*.json"))


@pytest.fixture(scope="module")
def validator() -> Draft202012Validator:
    return Draft202012Validator(json.loads(FILE.read_text(encoding="utf-8")))


def event(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / "events" / "agent_runtime" / f"{name}.json").read_text(encoding="utf-8"))
    return found


def test_the_file_is_what_the_models_say() -> None:
    assert FILE.read_text(encoding="utf-8") == rendered(), "run `make schema`"


@pytest.mark.parametrize("file", EVENTS, ids=lambda file: str(file.stem))
def test_every_event_is_a_request_by_the_schema_and_by_the_function(
    validator: Draft202012Validator, file: Path
) -> None:
    request = json.loads(file.read_text(encoding="utf-8"))
    validator.validate(request)
    assert parse_request(request).operation == request["operation"]


def test_the_events_show_every_operation() -> None:
    assert {json.loads(file.read_text(encoding="utf-8"))["operation"] for file in EVENTS} == set(OPERATIONS)


@pytest.mark.parametrize(
    "change",
    [
        {"extra": 1},
        {"executionId": 7},
        {"invocationNumber": 0},
        {"recallId": ""},
        {"dropped": "some"},
        {"operation": "x"},
    ],
    ids=str,
)
def test_what_the_schema_refuses_the_function_refuses(validator: Draft202012Validator, change: dict[str, Any]) -> None:
    request = {**event("03-recall"), **change}
    with pytest.raises(ValidationError):
        validator.validate(request)
    with pytest.raises(BadRequest):
        parse_request(request)


def test_the_schema_names_the_result_of_every_operation_and_the_error() -> None:
    document = json.loads(FILE.read_text(encoding="utf-8"))
    assert set(document["results"]) == set(OPERATIONS)
    named = document["error"]["$ref"].rsplit("/", maxsplit=1)[-1]
    assert {"code", "message", "retriable"} <= document["$defs"][named]["properties"].keys()
