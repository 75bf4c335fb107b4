"""A turn as its calls see it: its attempt, its agent's version, its reach, its staged changes (SPEC §4)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from memoir.domain.config import AgentVersion, Harness
from memoir.domain.errors import Conflict, ErrorCode, LimitExceeded, NotFound, TurnAbandoned, TurnEnded
from memoir.domain.events import MAX_EVENTS
from memoir.domain.pins import Pins
from memoir.domain.record import Record
from memoir.domain.staging import StagedView
from memoir.domain.turn import Attempt, AttemptId, AttemptStatus, Call, Execution
from memoir.domain.visibility import Reach
from memoir.ports import LoadedTurn
from memoir.services.resources import Resources


@dataclass(frozen=True)
class Turn:
    """One attempt, read once at the start of a call.

    Attributes:
        committed_hidden: Of a preview turn: live record → the committed preview record that names it.
    """

    loaded: LoadedTurn
    agent: AgentVersion
    now: str
    committed_hidden: Mapping[str, str] = field(default_factory=dict)

    @property
    def execution(self) -> Execution:
        """The turn's execution."""
        return self.loaded.execution

    @property
    def attempt(self) -> Attempt:
        """The attempt as read."""
        return self.loaded.attempt

    @property
    def harness(self) -> Harness:
        """The configuration."""
        return self.agent.harness

    @cached_property
    def reading(self) -> Reach:
        """What it reads."""
        return Reach.reading(self.harness, self.execution, self.hidden)

    @cached_property
    def writing(self) -> Reach:
        """What it writes."""
        return Reach.writing(self.harness, self.execution, self.hidden)

    @cached_property
    def staged(self) -> StagedView:
        """Its staged changes, in the order of their calls."""
        changes = tuple(call.staged for call in self.loaded.calls if call.staged is not None)
        return StagedView(changes, self.attempt.created, self.agent.principal)

    @cached_property
    def hidden(self) -> Mapping[str, str]:
        """Live record → the preview record, committed or of this turn, that hides it from this turn."""
        return {**self.committed_hidden, **self.staged.hidden()}

    def call(self, call_id: str, kind: str) -> Call | None:
        """An earlier call under this id."""
        return next((c for c in self.loaded.calls if c.call_id == call_id and c.kind == kind), None)

    def visible(self, records: Iterable[Record]) -> list[Record]:
        """Those that recall, search, list and ids may return, as this turn sees them."""
        return [r for r in map(self.staged.apply, records) if self.reading.finds(r)]


def load_turn(res: Resources, attempt: AttemptId) -> Turn:
    """Read an attempt.

    Raises:
        NotFound: It was never begun.
    """
    loaded = res.turns.load(attempt)
    if loaded is None:
        raise NotFound(
            f"execution {attempt.execution_id} has no invocation {attempt.number}: call beginTurn first",
            path="executionId",
        )
    execution = loaded.execution
    agent = agent_version(res, execution.action_id, execution.action_version)
    hidden = res.records.hidden(execution.action_id) if execution.preview else {}
    return Turn(loaded, agent, res.clock.now(), hidden)


def agent_version(res: Resources, action_id: str, number: int) -> AgentVersion:
    """Read a version that must be there.

    Raises:
        NotFound: It is not.
    """
    version = res.agents.version(action_id, number)
    if version is None:
        raise NotFound(f"agent {action_id} has no version {number}: register it first", path="version")
    return version


def pins_of(res: Resources, execution: Execution, hidden: Mapping[str, str]) -> Pins:
    """The pinned lists of the turn's mode; a preview turn sees the live pins, too, that no preview record hides."""
    action_id, session_id = execution.action_id, execution.session_id
    if not execution.preview:
        return res.records.pins(action_id, session_id)
    mine, live = res.gather.gather(
        lambda: res.records.pins(action_id, session_id, preview=True), lambda: res.records.pins(action_id, session_id)
    )
    return mine.beside(live, hidden)


def require_open(attempt: Attempt) -> None:
    """Refuse a new call of an attempt that has ended.

    Raises:
        TurnEnded: It was committed or rolled back.
        TurnAbandoned: A later invocation, or another execution, took its place.
        Conflict: Its commit ended in this conflict.
    """
    name = f"invocation {attempt.id.number} of execution {attempt.id.execution_id}"
    again = f"begin invocation {attempt.id.number + 1} to try the turn again"
    if attempt.status is AttemptStatus.COMMITTED:
        raise TurnEnded(f"{name} is committed: begin a new turn", path="executionId")
    if attempt.status is AttemptStatus.ABANDONED:
        raise TurnAbandoned(f"{name} was abandoned, {attempt.reason or 'another attempt took its place'}: {again}")
    if attempt.status is AttemptStatus.ROLLED_BACK:
        if attempt.outcome and attempt.outcome.get("code") == ErrorCode.CONFLICT:
            raise Conflict(str(attempt.outcome["message"]))
        raise TurnEnded(f"{name} is rolled back: {again}", path="invocationNumber")


def require_room(attempt: Attempt, events: int) -> None:
    """Refuse what would take the transcript over its limit.

    Raises:
        LimitExceeded: The turn has no room for so many events.
    """
    have = attempt.next_sequence - 1
    if have + events > MAX_EVENTS:
        raise LimitExceeded(
            f"the turn has {have} events and this call adds {events}; at most {MAX_EVENTS} fit: commit and go on",
            path="events",
        )
