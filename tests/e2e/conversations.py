"""Real conversations of ``MEMOIR_DATA`` (default ``../shared/data``), as turns with replies and tool calls."""

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
_EVIDENCE = re.compile(r"D\d+:\d+")


def data(name: str) -> Any:
    """A data set as JSON; the test is skipped when its folder is not there."""
    path = ROOT / os.environ.get("MEMOIR_DATA", "../shared/data") / name
    if not path.exists():
        pytest.skip(f"no real conversations here: MEMOIR_DATA names no folder with {name}")
    return json.loads(path.read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Said:
    """One line of a LoCoMo conversation: its id such as ``D1:3``, who said it and what."""

    dialog_id: str
    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a LoCoMo conversation, with the ids of the lines that answer it."""

    text: str
    evidence: frozenset[str]


def locomo(conversation: int, sessions: int) -> tuple[list[Said], list[Question]]:
    """The first sessions of a LoCoMo conversation, and the questions that they alone answer.

    Questions of categories 3 and 5 are left out: what they ask is not in the text.
    """
    found = data("locomo/locomo_dev5.json")[conversation]
    talk = found["conversation"]
    lines = [
        Said(line["dia_id"], line["speaker"], line["text"])
        for number in range(1, sessions + 1)
        for line in talk[f"session_{number}"]
    ]
    known = {line.dialog_id for line in lines}
    questions = [
        Question(question["question"], frozenset(_EVIDENCE.findall(" ".join(question["evidence"]))))
        for question in found["qa"]
        if question["category"] in {1, 2, 4}
    ]
    return lines, [question for question in questions if question.evidence and question.evidence <= known]


@dataclass(frozen=True, slots=True)
class AirlineTurn:
    """A user's message of a tau-bench run and the messages that answer it."""

    message: str
    answers: tuple[dict[str, Any], ...]


def airline_run(run: int) -> tuple[str, list[AirlineTurn]]:
    """The system text and the turns of an airline run."""
    system, *messages = data("tau_bench/airline40.json")[run]["traj"]
    return system["content"], list(_turns(messages))


def _turns(messages: list[dict[str, Any]]) -> Iterator[AirlineTurn]:
    starts = [position for position, message in enumerate(messages) if message["role"] == "user"]
    for start, end in zip(starts, [*starts[1:], len(messages)], strict=True):
        yield AirlineTurn(messages[start]["content"], tuple(messages[start + 1 : end]))
