"""What memoir needs of the world, as Protocols; adapters implement them, services use them."""

from memoir.ports.agents import AgentStore, Registration
from memoir.ports.embedder import Embedder
from memoir.ports.records import Overlay, RecordStore, Row
from memoir.ports.turns import Beginning, Commit, LoadedTurn, Raced, TurnStore
from memoir.ports.world import Clock, Gather, NewId

__all__ = [
    "AgentStore",
    "Beginning",
    "Clock",
    "Commit",
    "Embedder",
    "Gather",
    "LoadedTurn",
    "NewId",
    "Overlay",
    "Raced",
    "RecordStore",
    "Registration",
    "Row",
    "TurnStore",
]
