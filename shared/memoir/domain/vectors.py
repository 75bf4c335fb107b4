"""Vectors: dot products, lengths, and the 16-bit form in which they are stored (DESIGN "Tables and keys")."""

import math
import struct
from collections.abc import Sequence

from memoir.domain.embedding import Vector


def dot(left: Sequence[float], right: Sequence[float]) -> float:
    """Dot product; of two vectors of length 1 it is their cosine."""
    return sum(map(float.__mul__, left, right))


def normalise(vector: Sequence[float]) -> Vector:
    """The vector with length 1; a zero vector stays zero."""
    length = math.sqrt(sum(x * x for x in vector))
    return tuple(x / length for x in vector) if length else tuple(vector)


def mean(vectors: Sequence[Sequence[float]]) -> Vector:
    """The normalised mean of vectors of the same length."""
    return normalise([sum(column) / len(vectors) for column in zip(*vectors, strict=True)])


def pack(vector: Vector) -> bytes:
    """Two bytes a dimension, little-endian IEEE 754 half precision."""
    return struct.pack(f"<{len(vector)}e", *vector)


def unpack(data: bytes) -> Vector:
    """Read what ``pack`` wrote."""
    return struct.unpack(f"<{len(data) // 2}e", data)
