"""Tokens of every script, codes whole and in pieces, and folding (SPEC §5; RANKING "Tokens"; CASES S1, S3)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoir.domain.segments import tokens
from memoir.domain.tokens import MAX_TERMS, Query, TokenText

QUICK = settings(max_examples=150, deadline=None, derandomize=True)


def found(text: str, query: str) -> bool:
    """Whether a query shares a token with a text."""
    return bool(set(Query.of(query).terms) & TokenText.of(text).counts.keys())


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("She was running", "runs"),
        ("Она читает книги", "книга"),
        ("المكتبات القديمة", "مكتبة"),
        ("किताबें पढ़ती है", "किताब"),
        ("她喜欢喝绿茶", "绿茶"),
        ("彼女は緑茶が好き", "緑茶"),
        ("그녀는 녹차를 마신다", "녹차"),
        ("เธอชอบดื่มชาเขียว", "ชาเขียว"),
        ("ຂ້ອຍມັກຊາຂຽວ", "ຊາຂຽວ"),
        ("Café Zürich", "cafe zurich"),
        ("ＡＢＣ１２３", "abc123"),
        ("الشَّاي", "الشاي"),
        ("STRASSE", "straße"),
        ("٣٤٥٦", "3456"),
        ("getUserName fails", "user"),
        ("snake_case_name", "case"),
        ("Maya's tea", "maya"),
        ("don’t", "don't"),
    ],
)
def test_a_form_of_a_word_finds_it(text: str, query: str) -> None:
    assert found(text, query)


@pytest.mark.parametrize(
    "code",
    [
        "ZX-99417-QP",
        "0190b5a4-7c1e-7000-8000-000000000001",
        "maya.oneil+x@example.com",
        "/var/log/app.log.1",
        "v2.14.0-rc1",
        "credit_card_4421486",
        "+49-170-1234567",
        "OR:2026:99177",
        "192.168.10.17",
    ],
)
def test_a_code_is_one_token_and_its_pieces(code: str) -> None:
    text = TokenText.of(f"It says {code}, I think")
    whole = code.casefold().strip("/+")
    assert whole in text.counts
    pieces = [piece for piece in whole.replace("@", "-").replace("/", "-").split("-") if piece.isalnum()]
    assert all(found(f"It says {code}", piece) for piece in pieces if len(piece) > 1)


@pytest.mark.parametrize("code", ["ZX-99417-QP", "maya@example.com", "credit_card_4421486", "1234567", "abc123def"])
def test_a_code_is_known_as_one(code: str) -> None:
    assert Query.of(f"what is {code}?").codes


@pytest.mark.parametrize(
    "text", ["2026-12-01", "12/01/2026", "09:30", "well-known", "tea", "42", "A1", "state-of-the-art"]
)
def test_dates_words_and_small_numbers_are_no_codes(text: str) -> None:
    assert not Query.of(text).codes


def test_a_code_near_another_is_not_the_other() -> None:
    assert "zx-99417-qr" not in TokenText.of("ZX-99417-QP").counts


def test_stop_words_leave_a_query_unless_nothing_else_is_left() -> None:
    assert Query.of("what is the tea").terms == ("tea",)
    assert set(Query.of("to be or not to be").terms) == {"to", "be", "or", "not"}
    assert "door" in Query.of("die door war").terms


def test_a_text_keeps_its_stop_words_and_counts_the_others() -> None:
    text = TokenText.of("the tea and the cup")
    assert text.counts["the"] == 2
    assert text.length == 2


def test_a_query_of_many_terms_keeps_codes_and_the_rarest() -> None:
    words = [f"word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(100)]
    query = Query.of(" ".join([*words, "ZX-99417-QP"]))
    chosen = query.shortlist({term: n + 1 for n, term in enumerate(query.terms)})
    assert len(chosen) == MAX_TERMS
    assert "zx-99417-qp" in chosen
    assert query.terms[0] in chosen
    assert query.terms[99] not in chosen


@pytest.mark.parametrize(
    ("text", "latin"), [("tea", True), ("чай", False), ("绿茶", False), ("42", True), ("tea 茶", True)]
)
def test_a_query_knows_whether_it_is_latin(text: str, latin: bool) -> None:
    assert Query.of(text).latin is latin


@QUICK
@given(st.text(max_size=300))
def test_any_text_has_tokens_that_come_back_from_storage(text: str) -> None:
    kept = TokenText.of(text)
    assert TokenText.decode(kept.encode()) == kept
    assert all(token and not set(token) & set(" \n\t") for token in kept.counts)
    assert sum(kept.counts.values()) == len(kept.terms().split())


@QUICK
@given(st.text(min_size=1, max_size=100))
def test_a_text_finds_itself_and_case_does_not_matter(text: str) -> None:
    query = Query.of(text)
    counts = TokenText.of(text).counts
    assert set(query.terms) <= counts.keys()
    if text.isascii():
        lower = {token.text for token in tokens(text.lower())}
        assert {token.text for token in tokens(text.upper())} <= lower | {token.text for token in tokens(text)} | lower


def test_tokens_of_another_version_are_made_again() -> None:
    assert TokenText.decode("0:1 tea") is None
