"""The index's one mapping, and records as its documents (DESIGN "Index and ranking").

Tokens are made in the domain and indexed with the ``whitespace`` analyzer, so index, overlay and table agree. A
document keeps its tokens and its vector in their stored form, for the one ranking; the index answers with those.
"""

import base64
import re
from typing import Any

from memoir.domain.embedding import EmbedderProfile
from memoir.domain.ranking import Candidate
from memoir.domain.record import Record, Scope
from memoir.domain.tokens import TokenText
from memoir.domain.vectors import pack, unpack
from memoir.schema import FORMAT_VERSION

RECORD = "record"
"""Type of a record's document; parts of history get one of their own."""
RETURNED = ["memory", "created", "stored_tokens", "stored_vector"]


def index_name(profile: EmbedderProfile) -> str:
    """One index a model and dimension: a search never mixes models."""
    model = re.sub(r"[^a-z0-9]+", "-", profile.model.lower()).strip("-")
    return f"memoir-{FORMAT_VERSION}-{model}-{profile.dimensions}"


def index_body(profile: EmbedderProfile, *, replicas: int, refresh: str) -> dict[str, Any]:
    """Settings and the strict mapping of a new index.

    Args:
        profile: The model of its vectors.
        replicas: Copies of its shard.
        refresh: How often writes become visible, as ``1s``; a commit's indexing waits for it.
    """
    keyword = {"type": "keyword"}
    text = {"type": "text", "analyzer": "whitespace", "index_options": "freqs"}
    kept = {"type": "keyword", "index": False, "doc_values": False}
    vector = {
        "type": "knn_vector",
        "dimension": profile.dimensions,
        "method": {"name": "hnsw", "engine": "lucene", "space_type": "cosinesimil"},
    }
    properties = {
        "type": keyword,
        "agent": keyword,
        "session": keyword,
        "scope": keyword,
        "memory": keyword,
        "active": {"type": "boolean"},
        "preview": {"type": "boolean"},
        "kind": keyword,
        "labels": keyword,
        "created": keyword,
        "tokens": text,
        "before": text,
        "stored_tokens": kept,
        "stored_vector": kept,
        "vector": vector,
    }
    return {
        "settings": {
            "index": {"knn": True, "refresh_interval": refresh, "number_of_shards": 1, "number_of_replicas": replicas}
        },
        "mappings": {
            "dynamic": "strict",
            "_routing": {"required": True},
            "_source": {"excludes": ["vector", "tokens", "before"]},
            "properties": properties,
        },
    }


def document_id(record: Record) -> str:
    """A record's document."""
    return f"{record.action_id}#{record.memory_id}"


def document_version(record: Record, profile: EmbedderProfile) -> int:
    """Twice the record's version, and one more with its vector: a late write without vector loses."""
    return 2 * record.version + (_vector(record, profile) is not None)


def document(record: Record, profile: EmbedderProfile) -> dict[str, Any]:
    """A record's document; a tombstone without text or vector when it is ACTIVE no more."""
    head = {
        "type": RECORD,
        "agent": record.action_id,
        "memory": record.memory_id,
        "active": record.active,
        "preview": record.preview,
    }
    if not record.active:
        return head
    vector = _vector(record, profile)
    body = {
        **head,
        "scope": record.scope.value,
        "kind": record.kind,
        "labels": [label(number, value) for number, value in record.labels],
        "created": record.created,
        "tokens": record.tokens.terms(),
        "stored_tokens": record.tokens.encode(),
    }
    if record.scope is Scope.SESSION:
        body["session"] = record.session_id
    if vector is not None:
        body["vector"] = vector
        body["stored_vector"] = base64.b64encode(pack(vector)).decode()
    return body


def label(number: int, value: str) -> str:
    """A label's value as one exact term."""
    return f"{number}={value}"


def candidate(source: dict[str, Any]) -> Candidate | None:
    """A hit as the ranking sees it; ``None`` when another tokenizer wrote it."""
    tokens = TokenText.decode(source["stored_tokens"])
    if tokens is None:
        return None
    stored = source.get("stored_vector")
    vector = unpack(base64.b64decode(stored)) if stored else None
    return Candidate(source["memory"], source["created"], tokens, vector)


def _vector(record: Record, profile: EmbedderProfile) -> tuple[float, ...] | None:
    return record.vector.values if record.vector and record.vector.model == profile.model else None
