"""The one ranking function (SPEC §5; RANKING "The function"; CASES S4, S10, S13)."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoir.domain.embedding import EmbedderProfile, Vector
from memoir.domain.ranking import Candidate, Ranking, SearchMode, Statistics, rank
from memoir.domain.tokens import Query, TokenText
from memoir.domain.vectors import normalise, pack, unpack

PROFILE = EmbedderProfile("m", dimensions=2, floor=0.0, min_score=0.5, part_bytes=100)
QUICK = settings(max_examples=100, deadline=None, derandomize=True)
TEXTS = [
    "green tea",
    "black tea",
    "espresso",
    "tea tea tea",
    "the code is ZX-99417-QP",
    "the code is ZX-99417-QR",
    "",
    "緑茶",
]


def at(cosine: float) -> Vector:
    """A vector with this cosine to ``(1, 0)``."""
    return (cosine, (1 - cosine * cosine) ** 0.5)


def candidate(name: str, text: str, cosine: float | None = 0.0, created: str = "2026") -> Candidate:
    return Candidate(name, created, TokenText.of(text), None if cosine is None else at(cosine))


def ranked(query: str, *pool: Candidate, mode: SearchMode = SearchMode.HYBRID, **options: object) -> Ranking:
    asked = Query.of(query)
    known = options.pop("of", pool)
    statistics = Statistics.of(asked.terms, [one.tokens for one in known])  # type: ignore[attr-defined]
    vector = options.pop("vector", (1.0, 0.0))
    return rank(asked, vector, pool, statistics, mode=mode, profile=PROFILE, **options)  # type: ignore[arg-type]


def ids(ranking: Ranking) -> list[str]:
    return [one.id for one in ranking.results]


def test_a_record_found_by_words_needs_no_similarity_and_one_found_by_meaning_needs_enough() -> None:
    found = ranked("tea", candidate("words", "tea", -0.9), candidate("near", "x", 0.6), candidate("far", "y", 0.4))
    assert set(ids(found)) == {"words", "near"}
    ((dropped, reason),) = found.dropped
    assert dropped == "far"
    assert "0.400 is below 0.5" in reason


def test_an_agents_own_least_similarity_counts() -> None:
    assert ids(ranked("q", candidate("a", "x", 0.4), min_score=0.3)) == ["a"]
    assert ids(ranked("q", candidate("a", "x", 0.9), min_score=0.95)) == []


def test_a_code_stands_before_what_is_nearer_in_meaning() -> None:
    right, near = candidate("right", "the code is ZX-99417-QP", 0.1), candidate("near", "the code is ZX-99417-QR", 0.99)
    found = ranked("ZX-99417-QP", near, right)
    assert ids(found) == ["right", "near"]
    assert found.results[0].found_by == ("words", "code")


def test_ties_go_to_the_newer_and_the_turns_own_are_newest() -> None:
    old, new = candidate("old", "tea", created="2025"), candidate("new", "tea", created="2026")
    own = candidate("own", "tea", created="")
    assert ids(ranked("tea", old, own, new)) == ["own", "new", "old"]


def test_a_lexical_search_looks_at_no_vector_and_a_vector_search_at_no_word() -> None:
    word, near = candidate("word", "tea", 0.0), candidate("near", "x", 0.9)
    assert ids(ranked("tea", word, near, mode=SearchMode.LEXICAL)) == ["word"]
    assert ids(ranked("tea", word, near, mode=SearchMode.VECTOR)) == ["near"]


def test_without_a_query_vector_words_answer_in_any_mode() -> None:
    for mode in SearchMode:
        assert ids(ranked("tea", candidate("a", "tea", None), mode=mode, vector=None)) == ["a"]


def test_a_record_without_a_vector_is_found_by_its_words_beside_others() -> None:
    assert set(ids(ranked("tea", candidate("a", "tea", None), candidate("b", "x", 0.8)))) == {"a", "b"}


def test_rare_words_count_for_more_by_the_statistics_of_all_that_is_visible() -> None:
    rare, common = candidate("rare", "quince"), candidate("common", "tea")
    everything = [*(candidate(f"t{n}", "tea") for n in range(50)), rare, common]
    assert ids(ranked("quince tea", common, rare, of=everything)) == ["rare", "common"]


@pytest.mark.parametrize("query", ["", " ", "?!", "🙂"])
def test_a_query_without_words_finds_by_meaning_alone(query: str) -> None:
    assert ids(ranked(query, candidate("near", "tea", 0.9), candidate("far", "tea", 0.1))) == ["near"]


pools = st.lists(
    st.tuples(st.sampled_from(TEXTS), st.one_of(st.none(), st.floats(-1, 1)), st.integers(2020, 2026)), max_size=12
)


def made(rows: list[tuple[str, float | None, int]]) -> list[Candidate]:
    return [candidate(f"{n:02}", text, cosine, str(year)) for n, (text, cosine, year) in enumerate(rows)]


@QUICK
@given(
    pools, st.sampled_from([*TEXTS, "who drinks tea?", "zx-99417-qp"]), st.sampled_from(list(SearchMode)), st.randoms()
)
def test_the_order_of_the_candidates_changes_nothing(
    rows: list[tuple[str, float | None, int]], query: str, mode: SearchMode, chance: object
) -> None:
    pool = made(rows)
    shuffled = list(pool)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert ranked(query, *pool, mode=mode).results == ranked(query, *shuffled, mode=mode).results


@QUICK
@given(pools, st.sampled_from(["tea", "緑茶", "zx-99417-qp"]), st.integers(0, 12))
def test_statistics_add_up_wherever_a_record_is_found(
    rows: list[tuple[str, float | None, int]], query: str, cut: int
) -> None:
    texts = [one.tokens for one in made(rows)]
    terms = Query.of(query).terms
    apart = Statistics.of(terms, texts[:cut]) + Statistics.of(terms, texts[cut:])
    assert apart == Statistics.of(terms, texts)


@QUICK
@given(pools, st.sampled_from(["tea", "緑茶", "who drinks tea?"]))
def test_every_candidate_is_ranked_or_dropped_with_a_reason(
    rows: list[tuple[str, float | None, int]], query: str
) -> None:
    pool = made(rows)
    found = ranked(query, *pool)
    assert sorted([*ids(found), *(one for one, _ in found.dropped)]) == [one.id for one in pool]
    assert all(reason for _, reason in found.dropped)


@QUICK
@given(pools, st.sampled_from(["tea", "緑茶", "espresso"]))
def test_a_hopeless_candidate_more_moves_nobody(rows: list[tuple[str, float | None, int]], query: str) -> None:
    pool = made(rows)
    hopeless = replace(candidate("zz", "", None), created="2019")
    asked = Query.of(query)
    statistics = Statistics.of(asked.terms, [one.tokens for one in pool])

    def order(candidates: list[Candidate]) -> list[str]:
        found = rank(asked, (1.0, 0.0), candidates, statistics, mode=SearchMode.HYBRID, profile=PROFILE)
        return [one.id for one in found.results]

    assert order([*pool, hopeless]) == order(pool)


@QUICK
@given(st.lists(st.floats(-1, 1), min_size=2, max_size=20))
def test_a_stored_vector_is_nearly_the_vector(values: list[float]) -> None:
    vector = normalise(values)
    assert unpack(pack(vector)) == pytest.approx(vector, abs=1e-3)
