"""The demo's scenes about learning by itself, and about trying a turn out."""

from pydantic import JsonValue

from infra.local.demo_cast import MAYA, PRINCIPAL
from infra.local.demo_stage import Stage
from memoir.client import Turn
from memoir.protocol import CommitTurnResult

BRANCH_ID = "0190b5a4-7c1e-7000-8000-00000000b2a2"
HARNESS: dict[str, JsonValue] = {"memory": {"enabled": True}}
"""Nothing but memory: this desk has no tool to save with, and learns by the review alone."""


def _turn(stage: Stage, says: str, *, preview: bool = False) -> Turn:
    stage.turns += 1
    stage.screen.said(f"{MAYA.name}, try" if preview else MAYA.name, says)
    session = f"branch:{MAYA.customer_id}"
    return stage.memoir.turn(
        action_id=BRANCH_ID, session_id=session, principal=PRINCIPAL, message=says, preview=preview
    )


def _said(stage: Stage, says: str, reply: str, *, preview: bool = False) -> CommitTurnResult:
    """A turn without any tool; what its commit did."""
    with _turn(stage, says, preview=preview) as turn:
        stage.reply(turn, reply)
    result = turn.result
    assert result is not None  # noqa: S101 - the turn is committed
    for record in result.written:
        stage.screen.line("learns", record.summary, "magenta", short=True)
    return result


def _recalled(stage: Stage, *, preview: bool = False) -> list[str]:
    with _turn(stage, "What do you know about where I live?", preview=preview) as turn:
        found = [record.summary for record in turn.recall().records]
        stage.screen.recalled(found, len(found))
        stage.reply(turn, f"That you said: {found[0]}" if found else "Nothing, so far.")
    return found


def learning(stage: Stage) -> None:
    """The review learns, corrects and skips, in the turn's own transaction."""
    stage.memoir.register_agent(action_id=BRANCH_ID, name="Harbour Bank branch", harness=HARNESS)
    stage.screen.scene(
        "Friday · learning by itself",
        "the branch's agent has no tool to save with: each turn is reviewed when it commits, here by simple rules.",
    )
    first = _said(stage, "Good morning! I live in Leith. Is it cold outside?", "It is, take a coat.")
    known = _recalled(stage)
    learned = [record.summary for record in first.written]
    stage.screen.promise(
        "What a customer said is learned at the turn's commit, and the next turn recalls it",
        None if learned and learned == known else f"learned {learned}, recalled {known}",
    )
    again = _said(stage, "I live in Leith.", "So I have noted.")
    stage.screen.promise(
        "A restated fact is skipped: memory does not pile up", f"{again.written}" if again.written else None
    )
    moved = _said(stage, "I moved to Glasgow.", "Congratulations!")
    now = _recalled(stage)
    superseded = [record.status for record in moved.replaced] == ["SUPERSEDED"]
    stage.screen.promise(
        "A correction supersedes what it corrects, and only the new one is recalled",
        None if superseded and now == ["I moved to Glasgow."] else f"replaced {moved.replaced}, recalled {now}",
    )


def preview(stage: Stage) -> None:
    """A preview turn changes nothing for live turns."""
    stage.screen.scene(
        "Friday · trying it out", "a turn in preview mode learns something that no live turn must ever see."
    )
    _said(stage, "I moved to Aberdeen.", "I will note it, on trial.", preview=True)
    tried, live = _recalled(stage, preview=True), _recalled(stage)
    stage.screen.promise(
        "A preview turn sees its own correction; a live turn sees what is true",
        None if tried == ["I moved to Aberdeen."] and live == ["I moved to Glasgow."] else f"{tried} and {live}",
    )
