"""What memoir needs of the world, as Protocols; adapters implement them, services use them."""

from memoir.ports.agents import AgentStore, Registration
from memoir.ports.embedder import Embedder
from memoir.ports.index import IndexAnswer, IndexQuery, IndexState, Outbox, OutboxKey, OutboxStore, SearchIndex
from memoir.ports.records import Overlay, RecordStore, Row
from memoir.ports.review import Answered, Ask, Prompts, Reviewer, ReviewModel
from memoir.ports.turns import Beginning, Commit, LoadedTurn, PinChange, Raced, TurnStore
from memoir.ports.world import Clock, Gather, NewId

__all__ = [
    "AgentStore",
    "Answered",
    "Ask",
    "Beginning",
    "Clock",
    "Commit",
    "Embedder",
    "Gather",
    "IndexAnswer",
    "IndexQuery",
    "IndexState",
    "LoadedTurn",
    "NewId",
    "Outbox",
    "OutboxKey",
    "OutboxStore",
    "Overlay",
    "PinChange",
    "Prompts",
    "Raced",
    "RecordStore",
    "Registration",
    "ReviewModel",
    "Reviewer",
    "Row",
    "SearchIndex",
    "TurnStore",
]
