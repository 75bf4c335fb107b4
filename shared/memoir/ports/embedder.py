"""What turns texts into vectors (SPEC §5, §14)."""

from collections.abc import Sequence
from typing import Protocol

from memoir.domain.embedding import EmbedderProfile, Embedding


class Embedder(Protocol):
    """Turns texts into vectors (SPEC §5, §14)."""

    @property
    def profile(self) -> EmbedderProfile:
        """The model's id, size and settings."""
        ...

    def embed_query(self, text: str) -> Embedding:
        """Embed what somebody searches for; longer than one part: its tail is read.

        Raises:
            EmbedderUnavailable: The model cannot be reached or does not answer.
        """
        ...

    def embed_documents(self, texts: Sequence[str]) -> list[Embedding | None]:
        """Embed texts of at most ``profile.part_bytes`` each, in order; ``None`` where one text alone failed.

        Raises:
            EmbedderUnavailable: The model cannot be reached or does not answer at all.
        """
        ...
