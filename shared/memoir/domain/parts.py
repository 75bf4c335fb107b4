"""Long texts in parts that an embedder reads whole (SPEC §5; RANKING).

Nothing is lost: the parts joined are the text. A part ends at the best border that is in reach: a paragraph, a line, a
sentence, a space, else anywhere between two characters.
"""

import re

_BORDERS = (
    re.compile(r"\n\s*\n"),
    re.compile(r"\n"),
    re.compile(r"[.!?\u3002\uff01\uff1f\u061f\u0964]+\s*"),
    re.compile(r"\s+"),
)
MAX_PARTS = 8
"""Parts of one record that are embedded; what lies beyond is found by its words."""
EARLIEST = 0.5
"""A border is taken from this share of the part on."""


def split_parts(text: str, part_bytes: int) -> list[str]:
    """Cut a text into parts of at most ``part_bytes`` bytes of UTF-8; an empty text has no part."""
    parts = []
    rest = text
    while rest:
        part = _first(rest, part_bytes)
        parts.append(part)
        rest = rest[len(part) :]
    return parts


def _first(text: str, part_bytes: int) -> str:
    window = text[:part_bytes]
    data = window.encode("utf-8", "surrogatepass")
    if len(window) == len(text) and len(data) <= part_bytes:
        return text
    if len(data) > part_bytes:
        window = data[:part_bytes].decode("utf-8", "ignore") or text[:1]
    earliest = int(len(window) * EARLIEST)
    for border in _BORDERS:
        ends = [found.end() for found in border.finditer(window, earliest)]
        if ends:
            return window[: ends[-1]]
    return window


def tail(text: str, part_bytes: int) -> str:
    """The end of a text, in at most ``part_bytes`` bytes of UTF-8: what was said last."""
    return text.encode("utf-8", "replace")[-part_bytes:].decode("utf-8", "ignore")
