"""Sets of texts and questions: LoCoMo, XQuAD, and JSON lines in the format of ``docs/quality.md``."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

LANGUAGES = ("en", "zh", "ar", "ru", "hi", "th")
_EVIDENCE = re.compile(r"D\d+:\d+")
_SCORED = range(1, 5)
"""LoCoMo's categories with an answer: multi-hop, temporal, open and single-hop."""


class BadSet(Exception):
    """A file is no set; the message names its line and what to do."""


@dataclass(frozen=True)
class Question:
    """What is asked, and the ids of the texts that answer it."""

    text: str
    relevant: frozenset[str]


@dataclass
class Group:
    """Texts that are searched together, as one conversation, oldest first."""

    name: str
    texts: dict[str, str] = field(default_factory=dict)
    questions: list[Question] = field(default_factory=list)


@dataclass(frozen=True)
class QuestionSet:
    """A set of groups."""

    name: str
    groups: tuple[Group, ...]

    @property
    def questions(self) -> int:
        """How many there are."""
        return sum(len(group.questions) for group in self.groups)


def locomo(file: Path) -> QuestionSet:
    """LoCoMo: each turn is a record, with its speaker and date; questions of the categories 1 to 4."""
    groups: list[Group] = []
    for sample in json.loads(file.read_text(encoding="utf-8")):
        group = Group(str(sample.get("sample_id", len(groups))))
        group.texts = dict(_turns(sample["conversation"]))
        for asked in sample["qa"]:
            relevant = frozenset(_EVIDENCE.findall(" ".join(map(str, asked.get("evidence", []))))) & group.texts.keys()
            if asked["category"] in _SCORED and relevant:
                group.questions.append(Question(str(asked["question"]), relevant))
        groups.append(group)
    return QuestionSet(f"LoCoMo ({file.stem})", tuple(groups))


def _turns(conversation: dict[str, Any]) -> Iterator[tuple[str, str]]:
    number = 1
    while f"session_{number}_date_time" in conversation:
        when = datetime.strptime(conversation[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y")  # noqa: DTZ007
        date = f"{when.day} {when:%B %Y}, {when:%A}"
        for turn in conversation.get(f"session_{number}", []):
            shown = f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            yield turn["dia_id"], f"{turn['speaker']} ({date}): {turn['text']}{shown}"
        number += 1


def xquad(file: Path) -> QuestionSet:
    """XQuAD: each paragraph is a record; its questions ask for it."""
    group = Group(file.stem)
    for article in json.loads(file.read_text(encoding="utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            name = str(len(group.texts))
            group.texts[name] = paragraph["context"]
            group.questions += [Question(one["question"], frozenset({name})) for one in paragraph["qas"]]
    return QuestionSet(f"XQuAD {file.stem.rpartition('.')[2]}", (group,))


def lines(file: Path) -> QuestionSet:
    """JSON lines: texts ``{"group", "id", "text"}`` and questions ``{"group", "query", "relevant"}``.

    Raises:
        BadSet: A line is neither, or asks for a text that its group does not have.
    """
    groups: dict[str, Group] = {}
    asked: list[tuple[int, Group, Question]] = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        found = _object(file, number, line)
        group = groups.setdefault(str(found.get("group", "")), Group(str(found.get("group", ""))))
        if "text" in found and "id" in found:
            group.texts[str(found["id"])] = str(found["text"])
        elif "query" in found and isinstance(found.get("relevant"), list) and found["relevant"]:
            asked.append((number, group, Question(str(found["query"]), frozenset(map(str, found["relevant"])))))
        else:
            raise BadSet(f"{file}, line {number}: give id and text, or query and a list relevant of ids")
    for number, group, question in asked:
        if missing := question.relevant - group.texts.keys():
            raise BadSet(f"{file}, line {number}: no text of group {group.name!r} has the id {min(missing)!r}")
        group.questions.append(question)
    if not asked:
        raise BadSet(f"{file}: no question in it")
    return QuestionSet(file.stem, tuple(groups.values()))


def _object(file: Path, number: int, line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError as exc:
        raise BadSet(f"{file}, line {number}: no JSON ({exc})") from exc
    if not isinstance(found, dict):
        raise BadSet(f"{file}, line {number}: must be an object")
    return found


def found_in(data: Path) -> list[QuestionSet]:
    """The sets of a data folder: LoCoMo files, XQuAD files and ``*.jsonl``, as far as they are there."""
    return [
        *(locomo(file) for file in sorted(data.glob("**/locomo*.json"))),
        *(xquad(file) for language in LANGUAGES for file in sorted(data.glob(f"**/xquad*.{language}.json"))),
        *(lines(file) for file in sorted(data.glob("**/*.jsonl"))),
    ]
