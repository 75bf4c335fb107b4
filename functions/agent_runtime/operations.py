"""Which service answers which operation."""

from collections.abc import Callable
from typing import Any

from memoir.domain.model import Model
from memoir.protocol import (
    AppendEvents,
    BeginTurn,
    CallTool,
    CommitTurn,
    DescribeTurn,
    Recall,
    RegisterAgent,
    Request,
    RollbackTurn,
)
from memoir.services.append_events import append_events
from memoir.services.begin_turn import begin_turn
from memoir.services.call_tool import call_tool
from memoir.services.commit_turn import commit_turn
from memoir.services.describe_turn import describe_turn
from memoir.services.recall import recall
from memoir.services.register_agent import register_agent
from memoir.services.resources import Resources
from memoir.services.rollback_turn import rollback_turn

_SERVICES: dict[type[Model], Callable[[Resources, Any], Model]] = {
    RegisterAgent: register_agent,
    BeginTurn: begin_turn,
    Recall: recall,
    CallTool: call_tool,
    AppendEvents: append_events,
    CommitTurn: commit_turn,
    RollbackTurn: rollback_turn,
    DescribeTurn: describe_turn,
}


def run(res: Resources, request: Request) -> dict[str, Any]:
    """The result of a request, as JSON."""
    return _SERVICES[type(request)](res, request).model_dump(mode="json", by_alias=True)
