"""Many committed records at once, written by the same adapters as a commit's, without its turns."""

import random
import uuid
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from memoir.adapters.dynamodb.records_codec import record_item
from memoir.adapters.dynamodb.requests import Requests
from memoir.domain.embedding import EmbedderProfile, Vector
from memoir.domain.record import Record, RecordVector
from memoir.ports import SearchIndex
from tests.builders import record

PEOPLE = ("Maya", "Otto", "Lena", "Ravi", "Chen", "Ines", "Sam", "Noor")
VERBS = ("prefers", "ordered", "returned", "asked about", "cancelled", "paid for", "forgot", "shared")
THINGS = ("tea", "a flight", "the invoice", "a red bicycle", "two tickets", "the contract", "a lamp", "a parcel")
PLACES = ("Lisbon", "Oslo", "Kyoto", "Cairo", "Quito", "Perth", "Turin", "Riga")
_BATCH = 2_000


def sentence(number: int) -> str:
    """A fact like others, with a code of its own."""
    chance = random.Random(number)
    words = (chance.choice(PEOPLE), chance.choice(VERBS), chance.choice(THINGS), "in", chance.choice(PLACES))
    return f"{' '.join(words)} under order OR-{number:06}-{chance.randrange(100):02}"


@cache
def _direction(word: str, dimensions: int) -> Any:
    return np.random.default_rng(list(word.encode())).normal(size=dimensions)


def vector(text: str, dimensions: int) -> Vector:
    """A vector that texts with the same words share in part: embedding 100,000 texts would take an hour."""
    total = np.random.default_rng(list(text.encode())).normal(size=dimensions)
    for word in text.split():
        if not word.startswith("OR-"):
            total = total + _direction(word, dimensions)
    return tuple((total / np.linalg.norm(total)).tolist())


def records(
    action_id: str, count: int, profile: EmbedderProfile, text_of: Callable[[int], str] = sentence
) -> Iterator[Record]:
    """Records of agent scope, a second apart."""
    for number in range(count):
        text = text_of(number)
        created = (
            f"2026-01-{1 + number // 86_400:02}T{number // 3_600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}.000Z"
        )
        yield record(
            text,
            memory_id=str(uuid.UUID(int=random.Random(f"{action_id}{number}").getrandbits(128), version=4)),
            action_id=action_id,
            execution_id=action_id,
            session_id="seed",
            created=created,
            vector=RecordVector(profile.model, vector(text, profile.dimensions)),
        )


def seed(
    action_id: str,
    count: int,
    memory: Requests,
    index: SearchIndex,
    profile: EmbedderProfile,
    progress: Callable[[int], None] = lambda _: None,
) -> None:
    """Write them into the table and the index; ``progress`` hears how many are done."""
    batch: list[Record] = []
    for one in records(action_id, count, profile):
        batch.append(one)
        if len(batch) == _BATCH:
            _write(batch, memory, index)
            progress(len(batch))
            batch = []
    _write(batch, memory, index)
    progress(len(batch))


def _write(batch: list[Record], memory: Requests, index: SearchIndex) -> None:
    if batch:
        memory.write_all([record_item(one) for one in batch])
        index.write(batch)
