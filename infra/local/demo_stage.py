"""Plays the script against a memoir system, and checks what each recall and search brings."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, cast

from infra.local.demo_cast import (
    AGENT_ID,
    CUSTOMERS,
    PRINCIPAL,
    Customer,
    Forget,
    Line,
    Look,
    Save,
    Scene,
    Step,
    Tool,
)
from infra.local.demo_meter import Meter
from infra.local.demo_screen import Row, Screen
from memoir.client import Memoir, RetryPolicy, ToolCall, ToolRecord, ToolResult, Turn
from memoir.protocol import RecallResult, RecordEntry

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient

APART = "No recall, search or list ever brings a record of another session"


@dataclass(frozen=True, slots=True)
class Fact:
    """A record that the desk saved."""

    memory_id: str
    owner: Customer
    shared: bool


class Stage:
    """Where the demo plays.

    Args:
        meter: The system's Lambda client, with what passes through it counted.
        function_name: The ``agent_runtime`` function.
        screen: Where it is shown.

    Attributes:
        memoir: A client with the usual patience.
        impatient: A client that takes the first answer.
        facts: What the desk saved, by key.
        turns: Turns so far.
    """

    def __init__(self, meter: Meter, function_name: str, screen: Screen) -> None:
        through = cast("LambdaClient", meter)
        self.memoir = Memoir(through, function_name)
        self.impatient = Memoir(through, function_name, retry=RetryPolicy(total_wait=0))
        self.meter = meter
        self.screen = screen
        self.facts: dict[str, Fact] = {}
        self.turns = 0
        self._calls = count(1)

    def play(self, scene: Scene) -> None:
        """Play a scene's turns."""
        self.screen.scene(scene.title, scene.watch)
        for line in scene.lines:
            with self.turn(line.who, line.says) as turn:
                self.act(turn, line)

    def turn(self, who: Customer, says: str) -> Turn:
        """Show a message and make its turn."""
        self.turns += 1
        self.screen.said(who.name, says)
        return self.memoir.turn(action_id=AGENT_ID, session_id=who.session_id, principal=PRINCIPAL, message=says)

    def act(self, turn: Turn, line: Line) -> None:
        """Do what a line says: recall, take its steps, reply."""
        recalled = self.recall(turn, line.who, line.recalls)
        if line.why:
            self.screen.line("so", line.why, "italic")
        if line.recalls or line.never:
            found = {record.memory_id for record in recalled.records}
            self.screen.promise(line.promise or "The recall brings what this reply needs", self._amiss(line, found))
        for step in line.steps:
            self._take(turn, line.who, step)
        self.reply(turn, line.reply)

    def reply(self, turn: Turn, text: str) -> None:
        """Show the desk's reply and append it to the transcript."""
        turn.reply(text)
        self.screen.line("desk", text)

    def recall(self, turn: Turn, who: Customer, about: Sequence[str] = ()) -> RecallResult:
        """Recall, and show the records that ``about`` names, or the best one."""
        recalled = turn.recall()
        self._apart(who, recalled.records)
        names = {self.facts[key].memory_id for key in about}
        shown = [one for one in recalled.records if one.memory_id in names] or list(recalled.records[:1])
        lines = [("(all sessions) " if record.scope == "AGENT" else "") + record.summary for record in shown]
        self.screen.recalled(lines, len(recalled.records))
        return recalled

    def tool(self, turn: Turn, step: Tool) -> None:
        """Append a call of one of the bank's own tools and its result."""
        call_id = f"call_{next(self._calls)}"
        turn.reply(tool_calls=[ToolCall(call_id=call_id, name=step.name, arguments=step.arguments)])
        turn.tool_result(call_id, step.name, step.output)
        self.screen.line("tool", f"{step.name}({_inline(step.arguments)}) → {_inline(step.output)}", "dim", short=True)

    def save(self, turn: Turn, who: Customer, step: Save) -> ToolResult:
        """Save a fact; its id is kept under its key."""
        shared = step.scope == "agent"
        result = turn.add_memory(
            step.summary,
            kind=step.kind,
            content=step.content,
            labels=None if shared else {"customer_id": who.customer_id},
            scope=step.scope,
            pinned=step.pinned,
            replaces=self.facts[step.replaces].memory_id if step.replaces else None,
        ).raise_for_status()
        self.facts[step.key] = Fact(result.memories[0].memory_id, who, shared)
        self.screen.line(
            "pins" if step.pinned else "corrects" if step.replaces else "saves", step.summary, "magenta", short=True
        )
        return result

    def search(self, turn: Turn, who: Customer, query: str | None, *, limit: int | None = None) -> list[ToolRecord]:
        """Search as the model would, best first."""
        found = turn.search(query, limit=limit).raise_for_status().sources
        self._apart(who, found)
        return list(found)

    def forget(self, turn: Turn, key: str) -> None:
        """Delete a fact."""
        turn.delete_memory(self.facts[key].memory_id).raise_for_status()
        self.screen.line("deletes", f"record {self.facts[key].memory_id}", "magenta", short=True)

    def rows(self) -> list[Row]:
        """Every record that was saved, as it is now."""
        read: dict[str, ToolRecord] = {}
        for who in CUSTOMERS:
            turn = self.memoir.turn(action_id=AGENT_ID, session_id=who.session_id, principal=PRINCIPAL, message="Audit")
            with turn:
                for fact in self.facts.values():
                    if fact.owner == who and fact.memory_id not in read:
                        record = turn.read_memory(fact.memory_id).raise_for_status().sources[0]
                        read[fact.memory_id] = record
                turn.rollback("only read")
        numbers = {memory_id: str(number) for number, memory_id in enumerate(sorted(read), start=1)}
        owners = {fact.memory_id: fact.owner.name for fact in self.facts.values()}
        return [
            Row(
                number=int(numbers[memory_id]),
                session=owners[memory_id],
                scope=str(record.scope),
                status=record.status.value,
                replaced_by=numbers[record.replaced_by] if record.replaced_by else "",
                summary=str(record.summary),
            )
            for memory_id, record in sorted(read.items())
        ]

    def _take(self, turn: Turn, who: Customer, step: Step) -> None:
        match step:
            case Tool():
                self.tool(turn, step)
            case Save():
                self.save(turn, who, step)
            case Forget(key):
                self.forget(turn, key)
            case Look():
                self._look(turn, who, step)

    def _look(self, turn: Turn, who: Customer, step: Look) -> None:
        result = turn.search(step.query, limit=3, explain=True).raise_for_status()
        self._apart(who, result.sources)
        best = result.sources[0] if result.sources else None
        self.screen.line("searches", f"{step.query} → {best.summary if best else 'nothing'}", "yellow", short=True)
        if best is None or best.memory_id != self.facts[step.first].memory_id:
            self.screen.promise(step.promise, f"the first hit is not {step.first}")
            return
        by = result.found_by[best.memory_id]
        right = by == ("meaning",) if step.by == "meaning" else step.by in by
        self.screen.promise(step.promise, None if right else f"it was found by {', '.join(by)}")

    def _amiss(self, line: Line, found: set[str]) -> str | None:
        missing = [key for key in line.recalls if self.facts[key].memory_id not in found]
        leaked = [key for key in line.never if self.facts[key].memory_id in found]
        reasons = [f"{', '.join(missing)} not recalled"] if missing else []
        reasons += [f"{', '.join(leaked)} recalled"] if leaked else []
        return "; ".join(reasons) or None

    def _apart(self, who: Customer, records: Sequence[RecordEntry | ToolRecord]) -> None:
        own = {fact.memory_id for fact in self.facts.values() if fact.shared or fact.owner == who}
        strange = [record.memory_id for record in records if record.memory_id not in own]
        self.screen.promises.check(APART, f"{who.name}'s session got {', '.join(strange)}" if strange else None)


def _inline(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}: {_inline(one)}" for name, one in value.items())
    if isinstance(value, list):
        return "; ".join(_inline(one) for one in value)
    return str(value)
