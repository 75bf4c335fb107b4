"""Vectors of a set's texts and questions, kept on disk so that a second run is quick."""

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path

from memoir.adapters.embedders import make_embedder
from memoir.adapters.threads import Threads
from memoir.domain.embedding import EmbedderProfile, Vector
from memoir.services.embedding import embed_records

_BATCH = 64


class Vectors:
    """An embedder with a memory.

    Args:
        name: The embedder's.
        folder: Where vectors are kept.
    """

    def __init__(self, name: str, folder: Path) -> None:
        self._embedder = make_embedder(name, Threads())
        self._file = folder / f"{self.profile.model}.jsonl"
        self._known: dict[str, Vector] = {}
        if self._file.exists():
            for line in self._file.read_text(encoding="utf-8").splitlines():
                key, vector = json.loads(line)
                self._known[key] = tuple(vector)

    @property
    def profile(self) -> EmbedderProfile:
        """The embedder's settings."""
        return self._embedder.profile

    def records(self, texts: Sequence[str], progress: Callable[[int], None]) -> list[Vector]:
        """Vectors of records, in order; ``progress`` hears how many are done."""

        def made(batch: Sequence[str]) -> list[Vector]:
            return [one.vector for one in embed_records(self._embedder, batch) if one is not None]

        return self._all("record", texts, made, progress)

    def queries(self, texts: Sequence[str], progress: Callable[[int], None]) -> list[Vector]:
        """Vectors of questions, in order."""
        return self._all(
            "query", texts, lambda batch: [self._embedder.embed_query(text).vector for text in batch], progress
        )

    def _all(
        self,
        kind: str,
        texts: Sequence[str],
        make: Callable[[Sequence[str]], list[Vector]],
        progress: Callable[[int], None],
    ) -> list[Vector]:
        keys = [hashlib.sha256(f"{kind}\n{text}".encode()).hexdigest() for text in texts]
        wanted = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        progress(len(texts) - len(wanted))
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("a", encoding="utf-8") as file:
            for start in range(0, len(wanted), _BATCH):
                batch = list(wanted.items())[start : start + _BATCH]
                for (key, _), vector in zip(batch, make([text for _, text in batch]), strict=True):
                    self._known[key] = vector
                    file.write(json.dumps([key, [round(x, 7) for x in vector]]) + "\n")
                progress(len(batch))
        return [self._known[key] for key in keys]
