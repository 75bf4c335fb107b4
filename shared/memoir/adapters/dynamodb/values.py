"""Attribute values, format versions, and long texts in pieces (SPEC §13)."""

import json
import zlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from memoir.adapters.dynamodb import keys
from memoir.schema import FORMAT_VERSION, PK, SK

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef

    AttributeValue: TypeAlias = AttributeValueTypeDef
else:
    AttributeValue = dict

Item = dict[str, AttributeValue]
Plain = str | int | bytes | bool

PLAIN_BYTES = 2_000
"""A text of at most this many bytes is stored as it is, a longer one compressed."""
CHUNK_BYTES = 350_000
"""An item stays under DynamoDB's 400 KB."""


class UnknownFormat(Exception):
    """An item was written by another version of memoir than this one can read."""


def item(pk: str, sk: str, fields: Mapping[str, Plain | None]) -> Item:
    """An item with its format version; fields that are ``None`` are left out."""
    head: dict[str, Plain | None] = {PK: pk, SK: sk, "v": FORMAT_VERSION}
    return {name: value(one) for name, one in (head | dict(fields)).items() if one is not None}


def value(one: Plain) -> AttributeValue:
    """One attribute value."""
    if isinstance(one, str):
        return {"S": one}
    if isinstance(one, bool):
        return {"BOOL": one}
    return {"N": str(one)} if isinstance(one, int) else {"B": one}


def plain(stored: Mapping[str, Any]) -> dict[str, Any]:
    """An item's fields as Python values.

    Raises:
        UnknownFormat: Its format version is not this one's.
    """
    fields = {name: _read(one) for name, one in stored.items()}
    if fields.get("v") != FORMAT_VERSION:
        raise UnknownFormat(
            f"item {fields.get(PK)} {fields.get(SK)} has format {fields.get('v')}, not {FORMAT_VERSION}"
        )
    return fields


def _read(one: Mapping[str, Any]) -> Any:
    kind, content = next(iter(one.items()))
    return int(content) if kind == "N" else content


def squeeze(text: str) -> Plain:
    """A text as it is stored: plain when short, compressed when long."""
    data = text.encode()
    return text if len(data) <= PLAIN_BYTES else zlib.compress(data, 6)


def unsqueeze(stored: str | bytes) -> str:
    """Read what ``squeeze`` wrote."""
    return stored if isinstance(stored, str) else zlib.decompress(stored).decode()


def to_json(data: object) -> str:
    """Compact JSON."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def chunked(pk: str, owner: str, stored: Plain) -> tuple[int, list[Item]]:
    """Cut a compressed value that is too long for its item.

    Returns:
        How many pieces there are (0: none, it fits), and their items.
    """
    if not isinstance(stored, bytes) or len(stored) <= CHUNK_BYTES:
        return 0, []
    pieces = [stored[start : start + CHUNK_BYTES] for start in range(0, len(stored), CHUNK_BYTES)]
    items = [item(pk, keys.chunk(owner, number), {"data": piece}) for number, piece in enumerate(pieces, 1)]
    return len(items), items


def item_bytes(stored: Item) -> int:
    """About how many bytes an item takes."""
    total = 0
    for name, one in stored.items():
        content = next(iter(one.values()))
        total += len(name) + (len(content) if isinstance(content, str | bytes) else 8)
    return total
