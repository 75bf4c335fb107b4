"""What a ranked list is worth, and how sure the figures are."""

import math
import random
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

DEPTH = 20
SAMPLES = 2_000
NAMES = ("recall@5", "recall@10", "recall@20", "nDCG@10", "MRR")

Scores = Mapping[str, float]


def recall(ranked: Sequence[str], relevant: AbstractSet[str], depth: int) -> float:
    """Share of the relevant ids among the first ``depth``."""
    return len(relevant & set(ranked[:depth])) / len(relevant)


def ndcg(ranked: Sequence[str], relevant: AbstractSet[str], depth: int) -> float:
    """Discounted gain of the first ``depth``, as a share of the best order's."""
    gain = sum(1 / math.log2(place + 2) for place, one in enumerate(ranked[:depth]) if one in relevant)
    return gain / sum(1 / math.log2(place + 2) for place in range(min(depth, len(relevant))))


def reciprocal_rank(ranked: Sequence[str], relevant: AbstractSet[str]) -> float:
    """One over the place of the first relevant id; 0 when none is there."""
    return next((1 / place for place, one in enumerate(ranked, 1) if one in relevant), 0.0)


def score(ranked: Sequence[str], relevant: AbstractSet[str]) -> Scores:
    """Every metric of one question."""
    return {
        "recall@5": recall(ranked, relevant, 5),
        "recall@10": recall(ranked, relevant, 10),
        "recall@20": recall(ranked, relevant, 20),
        "nDCG@10": ndcg(ranked, relevant, 10),
        "MRR": reciprocal_rank(ranked, relevant),
    }


def mean(values: Sequence[float]) -> float:
    """Their mean; of none, 0."""
    return sum(values) / len(values) if values else 0.0


def interval(groups: Sequence[Sequence[float]], seed: int = 0) -> tuple[float, float]:
    """The middle 95 % of the mean when whole groups are drawn again; of one group, its questions are drawn."""
    units = groups if len(groups) > 1 else [[value] for value in groups[0]]
    chance = random.Random(seed)
    means = sorted(
        mean([value for unit in chance.choices(units, k=len(units)) for value in unit]) for _ in range(SAMPLES)
    )
    return means[int(0.025 * SAMPLES)], means[int(0.975 * SAMPLES) - 1]
