"""Cutting text into index tokens, one way for every language and every place that searches (RANKING "Tokens").

Runs of letters, digits and combining marks, joined by single ``- _ . @ / : + # & '``, become tokens by script: stems
where words are parted by spaces, bigrams of Han and kana, words and bigrams of Hangul, trigrams of Thai and its
neighbours. A joined run with a digit, ``@`` or ``_`` is also one whole token.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

import Stemmer

MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06ed"
    "\u0711\u0730-\u074a\u07a6-\u07b0\u0900-\u0963\u0966-\u0dff\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc"
    "\u0ec8-\u0ece\u0f18\u0f19\u0f35-\u0f3f\u0f71-\u0f84\u0f86-\u0fbc\u102b-\u103e\u1056-\u109d\u17b4-\u17d3"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\u302a-\u302f\u3099\u309a\ufe20-\ufe2f"
)
_RUN = re.compile(rf"[\w{MARKS}]+(?:[-.@/:+#&'][\w{MARKS}]+)*")
_JOINERS = re.compile(r"[-_.@/:+#&']")
_SCRIPTS = re.compile(
    r"(?P<cjk>[\u3005\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+)"
    r"|(?P<hangul>[\u1100-\u11ff\u3130-\u318f\uac00-\ud7ff]+)"
    r"|(?P<spaceless>[\u0e01-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff]+)"
    r"|(?P<word>[^\u0e01-\u0fff\u1000-\u11ff\u1780-\u17ff\u3005\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff"
    r"\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]+)"
)
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_APOSTROPHE = re.compile(r"'(?:s|t|d|m|ll|re|ve)$", re.IGNORECASE)
_ARABIC_MARKS = re.compile("[\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed]")
_STEMMERS = (
    (re.compile(r"[a-z]+"), "english"),
    (re.compile("[\u0400-\u04ff]+"), "russian"),
    (re.compile("[\u0600-\u06ff]+"), "arabic"),
    (re.compile("[\u0900-\u097f]+"), "hindi"),
    (re.compile("[\u0370-\u03ff]+"), "greek"),
    (re.compile("[\u0b80-\u0bff]+"), "tamil"),
    (re.compile("[\u0530-\u058f]+"), "armenian"),
)
WHOLE = 80
"""Characters of a joined run that is also one token."""
WORD = 200
"""Characters of a word that are a token; of a longer one, its first."""

_lock = Lock()
_stemmers: dict[str, Stemmer.Stemmer] = {}


@dataclass(frozen=True, slots=True)
class Token:
    """One token.

    Attributes:
        surface: Its form before stemming, for stop words.
        asked: Whether a query uses it; single characters of longer runs are indexed only.
        code: Whether it names one thing exactly.
    """

    text: str
    surface: str
    asked: bool = True
    code: bool = False


def tokens(text: str) -> Iterator[Token]:
    """The tokens of any text, in order."""
    text = unicodedata.normalize("NFKC", text).replace("\u0640", "").replace("\u2019", "'")
    if not text.isascii():
        text = re.sub(r"[^\W\D]", _ascii_digit, text)
    for found in _RUN.finditer(text):
        yield from _run(_APOSTROPHE.sub("", found.group()))


def _ascii_digit(found: re.Match[str]) -> str:
    return str(unicodedata.digit(found.group(), 0))


def _run(run: str) -> Iterator[Token]:
    pieces = [piece for piece in _JOINERS.split(run) if piece]
    folded = fold(run.strip("_"))
    code = is_code(folded)
    joined = len(pieces) > 1
    if joined and len(run) <= WHOLE and re.search(r"[\d@_]", run):
        yield Token(folded, folded, code=code)
    for piece in pieces:
        yield from _piece(piece, code=code and not joined)


def _piece(piece: str, *, code: bool) -> Iterator[Token]:
    for found in _SCRIPTS.finditer(piece):
        part = found.group()
        match found.lastgroup:
            case "cjk":
                yield from _grams(part, 2, singles=True)
            case "hangul":
                yield Token(part, part)
                if len(part) > 2:
                    yield from _grams(part, 2, singles=False)
            case "spaceless":
                yield from _grams(part, 3, singles=False)
            case _:
                yield from _word(part, code=code)


def _word(word: str, *, code: bool) -> Iterator[Token]:
    folded = fold(word)[:WORD]
    if not folded:
        return
    yield Token(stem(folded), folded, code=code)
    if word.isascii() and re.search(r"[a-z][A-Z]", word):
        for part in _CAMEL.findall(word):
            lower = part.casefold()
            yield Token(stem(lower), lower)


def _grams(run: str, size: int, *, singles: bool) -> Iterator[Token]:
    if len(run) <= size:
        yield Token(run, run)
    else:
        for start in range(len(run) - size + 1):
            gram = run[start : start + size]
            yield Token(gram, gram)
    if singles and len(run) > 1:
        for character in run:
            yield Token(character, character, asked=False)


def fold(text: str) -> str:
    """Case and accents of Latin letters and Arabic marks folded."""
    text = text.casefold()
    if text.isascii():
        return text
    text = _ARABIC_MARKS.sub("", text)
    plain = unicodedata.normalize("NFD", text)
    kept: list[str] = []
    for character in plain:
        if "\u0300" <= character <= "\u036f" and kept and kept[-1] < "\u0250":
            continue
        kept.append(character)
    return unicodedata.normalize("NFC", "".join(kept))


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The word's stem by the language of its script; words with digits and unknown scripts stay."""
    for letters, language in _STEMMERS:
        if letters.fullmatch(word):
            # NOTE: a Snowball stemmer keeps state while it works and must not be shared between threads.
            with _lock:
                stemmer = _stemmers.get(language) or _stemmers.setdefault(language, Stemmer.Stemmer(language, 0))
                return str(stemmer.stemWord(word))
    return word


_DATE = re.compile(r"\d{1,4}[-/.:]\d{1,2}(?:[-/.:]\d{1,4})?(?:t\d{1,2}(?::\d{2})*)?")
_MAIL = re.compile(r"[^@]+@[^@]+")


def is_code(folded: str) -> bool:
    """Whether a run names one thing exactly: mail, snake_case, or letters and digits as codes mix them; no dates."""
    if not folded.isascii() or _DATE.fullmatch(folded):
        return False
    if _MAIL.fullmatch(folded) or re.fullmatch(r"[a-z0-9]+(?:_[a-z0-9]+)+", folded):
        return True
    digits = sum(character.isdigit() for character in folded)
    letters = any(character.isalpha() for character in folded)
    if len(folded) < 6 or not digits:
        return False
    pieces = _JOINERS.split(folded)
    mixed = any(re.search(r"\d", piece) and re.search(r"[a-z]", piece) for piece in pieces)
    numbered = letters and any(re.fullmatch(r"\d{3,}", piece) for piece in pieces)
    return mixed or numbered or digits >= 7
