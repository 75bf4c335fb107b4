"""Rules for strings that come from outside: sizes in bytes of UTF-8, one line, UUIDs (SPEC §1, §3)."""

import re
import unicodedata

_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_NOT_ONE_LINE = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]")
_SPACES = re.compile(r"\s+")
ID_BYTES = 256


def byte_length(text: str) -> int:
    """Bytes of UTF-8 that ``text`` takes; a lone surrogate counts three."""
    return len(text.encode("utf-8", "surrogatepass"))


def lone_surrogate(text: str) -> int | None:
    """Position of the first lone surrogate, or ``None``."""
    found = None if text.isascii() else _SURROGATE.search(text)
    return found.start() if found else None


def canonical_uuid(text: str) -> str:
    """The UUID in lower case with dashes.

    Raises:
        ValueError: ``text`` is no UUID of the form 8-4-4-4-12.
    """
    if not _UUID.fullmatch(text):
        raise ValueError("must be a UUID such as 0190b5a4-7c1e-7000-8000-000000000001")
    return text.lower()


def caller_id(text: str) -> str:
    """An id that a caller names: 1 to 256 bytes, compared byte for byte.

    Raises:
        ValueError: It is empty, too long or holds half a character.
    """
    if not text:
        raise ValueError("must not be empty")
    if (size := byte_length(text)) > ID_BYTES:
        raise ValueError(f"is {size} bytes of UTF-8; at most {ID_BYTES} are allowed: use a shorter id")
    return text


def session_id(text: str) -> str:
    """A session's name: a caller's id without control characters (SPEC §1).

    Raises:
        ValueError: It breaks that rule.
    """
    if found := _CONTROL.search(text):
        raise ValueError(f"holds a control character at position {found.start()}: remove it")
    return caller_id(text)


def one_line_fault(text: str) -> str | None:
    """Why ``text`` is not one line, or ``None``."""
    found = _NOT_ONE_LINE.search(text)
    if found is None:
        return None
    return f"must be one line, but holds U+{ord(found.group()):04X} at position {found.start()}: put details in content"


def fold_for_duplicates(text: str) -> str:
    """NFC with every run of white space as one space: what makes two texts the same fact (SPEC §3)."""
    return _SPACES.sub(" ", unicodedata.normalize("NFC", text)).strip()


def try_uuid(text: str) -> str | None:
    """The UUID in lower case, or ``None`` when ``text`` is none."""
    return text.lower() if _UUID.fullmatch(text) else None
