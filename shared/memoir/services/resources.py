"""What a service works with: one of each port, and the secrets."""

from dataclasses import dataclass

from memoir.ports import AgentStore, Clock, Embedder, Gather, NewId, RecordStore, Reviewer, SearchIndex, TurnStore


@dataclass(frozen=True, slots=True)
class Secrets:
    """Keys of this environment.

    Attributes:
        lock_key: Key of the duplicate locks' HMAC; never rotated.
        signing_keys: Keys of cursors and tokens, the current one first.
    """

    lock_key: bytes
    signing_keys: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Resources:
    """One of each port; made once per container by the wiring.

    Attributes:
        index: ``None`` where there is no index; search then ranks what DynamoDB holds.
        reviewer: ``None`` where no review model is configured; then nothing is reviewed.
    """

    agents: AgentStore
    turns: TurnStore
    records: RecordStore
    embedder: Embedder
    clock: Clock
    ids: NewId
    gather: Gather
    secrets: Secrets
    index: SearchIndex | None = None
    reviewer: Reviewer | None = None
