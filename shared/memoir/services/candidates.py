"""The records that a turn may see, read from DynamoDB alone (SPEC §4: newest 500 visible records).

This is how search works without the index, for ever; it reads heads, so nothing here can be stale.
"""

from dataclasses import dataclass
from functools import partial

from memoir.domain.record import Record
from memoir.ports import Row
from memoir.services.resources import Resources
from memoir.services.turns import Turn

NEWEST = 500
"""Records that are ranked without the index."""


@dataclass(frozen=True, slots=True)
class Recent:
    """The newest visible records, newest first.

    Attributes:
        complete: Whether there are no older ones.
    """

    records: tuple[Record, ...]
    complete: bool
    behind: bool


def recent(res: Resources, turn: Turn) -> Recent:
    """Read the newest records within the turn's reach, staged ones first."""
    rows, behind = rows_below(res, turn, None, NEWEST)
    stored = res.records.get(turn.execution.action_id, [row.memory_id for row in rows])
    visible = turn.visible(stored.values())
    visible.sort(key=lambda record: (record.created, record.memory_id), reverse=True)
    staged = staged_records(turn)
    complete = len(rows) < NEWEST and len(visible) + len(staged) <= NEWEST
    return Recent((*staged, *visible)[:NEWEST], complete, behind)


def rows_below(res: Resources, turn: Turn, before: Row | None, limit: int) -> tuple[list[Row], bool]:
    """Rows of the lists within the turn's reach, newest first, at most ``limit``, and whether commits were left out.

    The lists are eventually consistent; what recent commits added is put in from the overlay.
    """
    action_id, session_id, reach = turn.execution.action_id, turn.execution.session_id, turn.reading
    scopes = [*([None] if reach.agent else []), *([reach.session] if reach.session is not None else [])]
    modes = (False, True) if reach.preview else (False,)

    def newest(scope: str | None, mode: bool) -> list[Row]:
        return res.records.newest(action_id, scope, before, limit, preview=mode)

    overlay, lists = res.gather.gather(
        lambda: res.records.overlay(action_id, session_id, agent=reach.agent, preview=reach.preview),
        lambda: res.gather.each([partial(newest, scope, mode) for scope in scopes for mode in modes]),
    )
    rows = {row for one in lists for row in one}
    rows |= {row for row in overlay.added if before is None or _key(row) < _key(before)}
    return sorted(rows, key=_key, reverse=True)[:limit], overlay.behind


def _key(row: Row) -> tuple[str, str]:
    return row.created, row.memory_id


def staged_records(turn: Turn) -> list[Record]:
    """The turn's own uncommitted records that it may find, newest first."""
    records = [r for r in turn.staged.added().values() if turn.reading.finds(r)]
    return sorted(records, key=lambda record: record.memory_id, reverse=True)
