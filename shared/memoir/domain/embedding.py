"""What an embedder says of itself and of a text (SPEC §5, §14: vectors carry their model's id).

A vector is a tuple of ``dimensions`` floats of length 1, so that a dot product is the cosine.
"""

from dataclasses import dataclass

Vector = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class EmbedderProfile:
    """The settings that belong to a model and travel with it.

    Attributes:
        model: Id stored beside every vector; a search never mixes models.
        dimensions: Length of a vector.
        floor: Cosine of unrelated texts (``c0`` of the ranking function).
        min_score: Default least similarity of a record found by meaning alone.
        part_bytes: UTF-8 bytes of one text that the model reads whole; longer texts go in parts.
        weight: Share of meaning in the fused score, 0 to 1.
        weight_other_script: The same when the query is not in Latin script.
    """

    model: str
    dimensions: int
    floor: float
    min_score: float
    part_bytes: int
    weight: float = 0.5
    weight_other_script: float = 0.5


@dataclass(frozen=True, slots=True)
class Embedding:
    """One text's vector and the tokens the model counted for it."""

    vector: Vector
    tokens: int
