"""``python -m tests.bench review``: what ``builtin`` keeps of LoCoMo's conversations, turn by turn.

Each turn of a conversation is a memoir turn of one session, with its text as the user's message. A turn is covered when
something was kept from it; evidence are the turns that answer the questions of the categories 1 to 4.
"""

import argparse
import itertools
import json
import os
import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress

from memoir.adapters.builtin_review import BuiltinReview
from memoir.adapters.review_models import load_prompts
from memoir.ports import Reviewer
from memoir.protocol import BeginTurn, CommitTurn, RegisterAgent
from memoir.services.begin_turn import begin_turn
from memoir.services.commit_turn import commit_turn
from memoir.services.register_agent import register_agent
from tests.bench.quality.sets import Group, QuestionSet, locomo
from tests.builders import AGENT, harness, resources

DATA = Path(os.environ.get("MEMOIR_DATA", "../shared/data"))
DRAWS = 200
"""Random choices that are averaged."""


@dataclass(frozen=True)
class Kept:
    """What the reviews of one conversation did.

    Attributes:
        turns: Ids of the turns from which something was kept.
        records: Records written.
        calls: Model calls.
    """

    turns: frozenset[str]
    records: int
    calls: int
    tokens: int


@dataclass(frozen=True)
class Figures:
    """One set: shares of evidence turns covered, by method, and what it cost."""

    set: str
    turns: int
    builtin: float
    random: float
    first: float
    records_per_100_turns: float
    calls_per_turn: float
    tokens_per_turn: float


def reviewed(group: Group, advance: Any = None) -> Kept:
    """Play a conversation through the services, each of its turns reviewed at its commit."""
    res = replace(resources(), reviewer=Reviewer(BuiltinReview(), load_prompts(), 60.0))
    config = harness(search={"mode": "lexical"})
    register_agent(res, RegisterAgent(operation="registerAgent", action_id=AGENT, name="bench", harness=config))
    numbers = itertools.count(1)
    kept, records, calls, tokens = set(), 0, 0, 0
    for name, text in group.texts.items():
        me: dict[str, Any] = {"execution_id": f"00000000-0000-4000-9000-{next(numbers):012x}", "invocation_number": 1}
        said = text.partition("): ")[2] or text
        begin_turn(
            res, BeginTurn(operation="beginTurn", action_id=AGENT, session_id="s", principal="u", message=said, **me)
        )
        result = commit_turn(res, CommitTurn(operation="commitTurn", **me))
        if result.written:
            kept.add(name)
        records += len(result.written)
        spent = [one for one in result.usage if one.purpose == "memory"]
        calls += sum(one.calls for one in spent)
        tokens += sum(one.input_tokens + one.output_tokens for one in spent)
        if advance is not None:
            advance()
    return Kept(frozenset(kept), records, calls, tokens)


def evidence(group: Group) -> list[str]:
    """The turns that answer the questions, once a question."""
    return [turn for question in group.questions for turn in sorted(question.relevant)]


def covered(turns: Sequence[str], chosen: frozenset[str]) -> int:
    """How many of the turns are among the chosen."""
    return sum(turn in chosen for turn in turns)


def figures(name: str, groups: Sequence[Group], kept: Sequence[Kept]) -> Figures:
    """The figures of a set, with the two other choices of as many turns."""
    draw = random.Random(1)
    wanted = sum(len(evidence(group)) for group in groups)
    turns = sum(len(group.texts) for group in groups)
    mine = by_chance = first = 0.0
    for group, one in zip(groups, kept, strict=True):
        ids, many = list(group.texts), len(one.turns)
        asked = evidence(group)
        mine += covered(asked, one.turns)
        by_chance += sum(covered(asked, frozenset(draw.sample(ids, many))) for _ in range(DRAWS)) / DRAWS
        first += covered(asked, frozenset(_first(ids, many)))
    return Figures(
        set=name,
        turns=turns,
        builtin=round(mine / wanted, 4),
        random=round(by_chance / wanted, 4),
        first=round(first / wanted, 4),
        records_per_100_turns=round(100 * sum(one.records for one in kept) / turns, 1),
        calls_per_turn=round(sum(one.calls for one in kept) / turns, 3),
        tokens_per_turn=round(sum(one.tokens for one in kept) / turns, 1),
    )


def _first(ids: Sequence[str], many: int) -> list[str]:
    """The first turns of each session, as many in all."""
    by_session: Mapping[str, list[str]] = {
        session: list(turns) for session, turns in itertools.groupby(ids, lambda one: one.partition(":")[0])
    }
    in_rounds = (turn for turns in itertools.zip_longest(*by_session.values()) for turn in turns if turn is not None)
    return list(itertools.islice(in_rounds, many))


PAGE = """# What the built-in review keeps

Figures of one run of `make bench ARGS="review --docs docs"`: each turn of a LoCoMo conversation is a memoir turn,
reviewed at its commit by `builtin`, the rule-based extractor that needs no model. A turn is covered when something was
kept from it; the figures are the share of evidence turns (of questions of the categories 1 to 4) that are covered.
**random** chooses as many turns by chance, **first** takes the first turns of each session. The rules were tuned on
these five.

| set | turns | builtin | random | first | times random | records per 100 turns | calls per turn | tokens per turn |
|---|--:|--:|--:|--:|--:|--:|--:|--:|
"""


def page(found: Sequence[Figures]) -> str:
    """The page ``docs/review.md``."""
    rows = [
        f"| {one.set} | {one.turns} | {one.builtin:.3f} | {one.random:.3f} | {one.first:.3f} | "
        f"{one.builtin / max(one.random, 1e-9):.2f} | {one.records_per_100_turns} | {one.calls_per_turn} | "
        f"{one.tokens_per_turn} |"
        for one in found
    ]
    return PAGE + "\n".join(rows) + "\n"


def measured(one: QuestionSet, console: Console) -> Figures:
    """Play every conversation of a set."""
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task(f"reviewing {one.name}", total=sum(len(group.texts) for group in one.groups))
        kept = [reviewed(group, lambda: progress.advance(task)) for group in one.groups]
    return figures(one.name, one.groups, kept)


def main(argv: Sequence[str]) -> int:
    """Run; the exit code is 1 when there is nothing to measure."""
    parser = argparse.ArgumentParser(prog='make bench ARGS="review"', description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="folder with locomo*.json")
    parser.add_argument("--out", type=Path, default=Path("build/bench"), help="folder for JSON")
    parser.add_argument("--docs", type=Path, help="folder for review.md")
    arguments = parser.parse_args(argv)
    console = Console()
    files = sorted(arguments.data.glob("**/locomo*.json"))
    if not files:
        console.print(f"[red]{arguments.data} holds no locomo*.json: name a folder with --data")
        return 1
    found = [measured(locomo(file), console) for file in files]
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "review.json").write_text(json.dumps([asdict(one) for one in found], indent=1) + "\n")
    if arguments.docs:
        (arguments.docs / "review.md").write_text(page(found), encoding="utf-8")
    console.print(page(found).partition("\n\n|")[2], markup=False)
    return 0
