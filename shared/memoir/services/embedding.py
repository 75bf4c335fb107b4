"""Vectors of records and queries, whatever their length (SPEC §5; RANKING: records are scored whole)."""

from collections.abc import Sequence

from memoir.domain.embedding import Embedding
from memoir.domain.parts import MAX_PARTS, split_parts
from memoir.domain.vectors import mean
from memoir.ports import Embedder


def record_text(summary: str, content: str) -> str:
    """What of a record is embedded."""
    return f"{summary}\n{content}" if content else summary


def embed_records(embedder: Embedder, texts: Sequence[str]) -> list[Embedding | None]:
    """One vector a text: the normalised mean of its first ``MAX_PARTS`` parts.

    Returns:
        In order; ``None`` where a text alone failed.

    Raises:
        EmbedderUnavailable: The model does not answer at all.
    """
    split = [split_parts(text, embedder.profile.part_bytes)[:MAX_PARTS] or [""] for text in texts]
    made = iter(embedder.embed_documents([part for parts in split for part in parts]))
    return [_together([next(made) for _ in parts]) for parts in split]


def _together(parts: Sequence[Embedding | None]) -> Embedding | None:
    good = [part for part in parts if part is not None]
    if not good:
        return None
    tokens = sum(part.tokens for part in good)
    return Embedding(good[0].vector if len(good) == 1 else mean([part.vector for part in good]), tokens)


def embed_query(embedder: Embedder, text: str) -> Embedding:
    """A query's vector; of one longer than a part its tail is read.

    Raises:
        EmbedderUnavailable: The model does not answer.
    """
    return embedder.embed_query(text)
