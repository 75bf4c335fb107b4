"""A system whose turns are reviewed by a model on loopback, and what its tests say to it."""

import json
from dataclasses import dataclass
from typing import Any

from infra.local.system import LocalSystem
from tests.e2e.driver import Agent, Json, Runtime, harness
from tests.integration.model_server import ModelServer

SECONDS = 8
"""What a review may take here: long enough for a busy machine, since only two tests wait for its end."""
LEXICAL = {"mode": "lexical", "max_results": 50}
CANDIDATE = {"summary": "Maya drinks tea", "kind": "fact"}


@dataclass(frozen=True)
class Reviewing:
    """The system, and its model."""

    local: LocalSystem
    runtime: Runtime
    model: ModelServer


def reviewed(running: Reviewing, **memory: Any) -> Agent:
    """An agent of that system, searching by words."""
    return Agent(running.runtime, harness(search=LEXICAL, **memory))


def say(agent: Agent, message: str, *, session: str = "s", **fields: Any) -> Json:
    """A turn with one message; its commit's result."""
    turn = agent.begin(session, message, **fields)
    turn.says("I see")
    return turn.commit()


def candidates(*several: Any) -> str:
    """An answer to the first call."""
    return json.dumps({"candidates": list(several)})
