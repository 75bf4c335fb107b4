"""Where committed memory records are kept (SPEC §3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from memoir.domain.pins import Pins
from memoir.domain.record import Record, RecordVector


@dataclass(frozen=True, slots=True)
class Row:
    """A place in a list of records."""

    created: str
    memory_id: str


@dataclass(frozen=True, slots=True)
class Overlay:
    """Records that commits changed and the index may not know yet, newest commit first.

    Attributes:
        memory_ids: All of them, unique.
        added: Those that a commit wrote new (version 1), as rows of a list.
        behind: Whether there are more such commits than were read.
    """

    memory_ids: tuple[str, ...]
    added: tuple[Row, ...]
    behind: bool


class RecordStore(Protocol):
    """Committed memory records (SPEC §3)."""

    def get(self, action_id: str, memory_ids: Sequence[str]) -> dict[str, Record]:
        """Those of the records that exist, by id."""
        ...

    def holders(self, keys: Sequence[str]) -> dict[str, str]:
        """The record that holds each duplicate key, where one does."""
        ...

    def newest(
        self, action_id: str, session_id: str | None, before: Row | None, limit: int, *, preview: bool = False
    ) -> list[Row]:
        """ACTIVE records of one scope and mode, newest first: the session's, or the agent's with no ``session_id``.

        Eventually consistent; rows may name records that are ACTIVE no more.
        """
        ...

    def attach_vector(self, record: Record, vector: RecordVector) -> None:
        """Give a stored record the vector that its embedder could not make before; its version stays."""
        ...

    def overlay(self, action_id: str, session_id: str | None, *, agent: bool, preview: bool = False) -> Overlay:
        """What commits changed that the index may not know: the session's own, and the agent's if ``agent``.

        With ``preview`` what preview turns committed is among it.
        """
        ...

    def pins(self, action_id: str, session_id: str | None, *, preview: bool = False) -> Pins:
        """The agent's pins of one mode and the session's, in one round trip."""
        ...

    def hidden(self, action_id: str) -> dict[str, str]:
        """Live record → the preview record, of any status, that names it in ``replaces``."""
        ...
