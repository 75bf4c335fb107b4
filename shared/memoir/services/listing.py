"""Listing memory: newest first in pages, and reading by ids, by search's rules (SPEC §5)."""

from collections.abc import Sequence
from dataclasses import dataclass

from memoir.domain.cursor import Position, decode_cursor, encode_cursor, list_name
from memoir.domain.record import Record
from memoir.domain.text import try_uuid
from memoir.domain.turn import AttemptId
from memoir.ports import Row
from memoir.services.candidates import rows_below, staged_records
from memoir.services.ranked import Filters
from memoir.services.resources import Resources
from memoir.services.turns import Turn

SPARE = 10
"""Rows that are read beyond a page, for those that are not to be seen."""
MOST = 100
"""Rows that are read together once a page turned out sparse."""


@dataclass(frozen=True, slots=True)
class Page:
    """Some records of a list, newest first; ``more`` tells whether others follow."""

    records: tuple[Record, ...]
    more: bool


def list_page(res: Resources, turn: Turn, filters: Filters, limit: int, after: str | None) -> Page:
    """One page of the records within the turn's reach.

    Raises:
        InvalidCursor: ``after`` is malformed, edited, or of another list.
    """
    place = _place(res, turn, filters, after)
    staged = [r for r in staged_records(turn) if filters.keep(r)]
    if place.staged_below is not None:
        staged = [r for r in staged if r.memory_id < place.staged_below]
    elif after is not None:
        staged = []
    found = staged[: limit + 1]
    if len(found) <= limit:
        found += _committed(res, turn, filters, place.row, limit + 1 - len(found))
    return Page(tuple(found[:limit]), len(found) > limit)


def cursor_after(res: Resources, turn: Turn, filters: Filters, record: Record) -> str:
    """The cursor of the page that follows ``record``."""
    attempt = (turn.attempt.id.execution_id, turn.attempt.id.number) if record.staged else None
    position = Position(record.created, record.memory_id, attempt)
    return encode_cursor(_name(turn, filters), position, res.secrets.signing_keys[0])


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a page starts: below this staged id, or before this row."""

    row: Row | None
    staged_below: str | None = None


def _place(res: Resources, turn: Turn, filters: Filters, after: str | None) -> _Place:
    if after is None:
        return _Place(None)
    position = decode_cursor(after, _name(turn, filters), res.secrets.signing_keys)
    if position.attempt is None:
        return _Place(Row(position.created, position.memory_id))
    if AttemptId(*position.attempt) == turn.attempt.id:
        return _Place(None, position.memory_id)
    stored = res.records.get(turn.execution.action_id, [position.memory_id]).get(position.memory_id)
    return _Place(Row(stored.created, stored.memory_id) if stored else None)


def _name(turn: Turn, filters: Filters) -> str:
    reach = turn.reading
    return list_name(
        ["memory", reach.action_id, reach.session, reach.agent, reach.preview, filters.kind, filters.labels]
    )


def _committed(res: Resources, turn: Turn, filters: Filters, before: Row | None, limit: int) -> list[Record]:
    """Committed records below ``before``; rows whose record is not to be seen are passed over."""
    found: list[Record] = []
    size = limit + SPARE
    while True:
        rows, _ = rows_below(res, turn, before, size)
        stored = res.records.get(turn.execution.action_id, [row.memory_id for row in rows])
        seen = {record.memory_id: record for record in turn.visible(stored.values()) if filters.keep(record)}
        found += [seen[row.memory_id] for row in rows if row.memory_id in seen]
        if len(found) >= limit or len(rows) < size:
            return found[:limit]
        before, size = rows[-1], MOST


def read_ids(res: Resources, turn: Turn, filters: Filters, ids: Sequence[str]) -> tuple[list[Record], list[str]]:
    """Read records by id with search's rules.

    Returns:
        The records in the order asked for, and the ids that gave none, for whatever reason.
    """
    asked = list(dict.fromkeys(try_uuid(one) or one for one in ids))
    records = {r.memory_id: r for r in staged_records(turn)}
    unknown = [one for one in asked if one not in records and try_uuid(one)]
    stored = res.records.get(turn.execution.action_id, unknown) if unknown else {}
    records |= {r.memory_id: r for r in turn.visible(stored.values())}
    seen = [records[one] for one in asked if one in records and filters.keep(records[one])]
    return seen, [one for one in asked if one not in {r.memory_id for r in seen}]
