"""Random turns of two sessions against a model of dictionaries (SPEC §3, §4)."""

from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, multiple, rule

from memoir.domain.errors import Conflict
from memoir.protocol import RollbackTurn
from memoir.services.rollback_turn import rollback_turn
from tests.builders import resources
from tests.unit.services.test_turn_services import Desk

WORDS = st.sampled_from(["tea", "coffee", "bicycle", "invoice", "lamp"])
SESSIONS = ("one", "two")


class Turns(RuleBasedStateMachine):
    """What is committed is seen by all; what is staged by its own turn only; what is rolled back by nobody."""

    ids = Bundle("ids")

    def __init__(self) -> None:
        super().__init__()
        self.desk = Desk(resources())
        self.committed: dict[str, str] = {}
        self.open: dict[str, dict[str, Any]] = {}
        self.staged: dict[str, list[tuple[str, str, str | None]]] = {}
        self.count = 0

    def turn(self, session: str) -> dict[str, Any]:
        if session not in self.open:
            self.open[session] = self.desk.begin(session)
            self.staged[session] = []
        return self.open[session]

    def view(self, session: str) -> dict[str, str]:
        """Active records as the session's turn must see them."""
        found = dict(self.committed)
        for kind, memory_id, other in self.staged.get(session, []):
            if kind == "delete":
                found.pop(memory_id, None)
            else:
                found[memory_id] = kind
                if other:
                    found.pop(other, None)
        return found

    @rule(target=ids, session=st.sampled_from(SESSIONS), word=WORDS)
    def add(self, session: str, word: str) -> str:
        self.count += 1
        summary = f"{word} {self.count}"
        memory_id = self.desk.add(self.turn(session), summary)
        self.staged[session].append((summary, memory_id, None))
        return memory_id

    @rule(target=ids, session=st.sampled_from(SESSIONS), word=WORDS, old=ids)
    def replace(self, session: str, word: str, old: str) -> Any:
        turn = self.turn(session)
        self.count += 1
        summary = f"{word} {self.count}"
        done = self.desk.tool(turn, "add_memory", summary=summary, kind="fact", scope="agent", replaces=old)
        assert (done.status == "COMPLETED") is (old in self.view(session))
        if done.status != "COMPLETED":
            return multiple()
        memories: Any = done.output["memories"]
        self.staged[session].append((summary, memories[0]["memoryId"], old))
        return memories[0]["memoryId"]

    @rule(session=st.sampled_from(SESSIONS), old=ids)
    def delete(self, session: str, old: str) -> None:
        turn = self.turn(session)
        there = old in self.view(session)
        done = self.desk.tool(turn, "delete_memory", id=old)
        if there:
            assert done.status == "COMPLETED"
            self.staged[session].append(("delete", old, None))

    @rule(session=st.sampled_from(SESSIONS))
    def commit(self, session: str) -> None:
        turn = self.turn(session)
        staged = self.staged.pop(session)
        del self.open[session]
        mine = {memory_id for kind, memory_id, _ in staged if kind != "delete"}
        replaced = [other for _, _, other in staged if other and other not in mine]
        lost = any(other not in self.committed for other in replaced)
        try:
            self.desk.commit(turn)
        except Conflict:
            assert lost
            return
        assert not lost
        for kind, memory_id, other in staged:
            if kind == "delete":
                self.committed.pop(memory_id, None)
            else:
                self.committed[memory_id] = kind
                if other:
                    self.committed.pop(other, None)

    @rule(session=st.sampled_from(SESSIONS))
    def roll_back(self, session: str) -> None:
        turn = self.turn(session)
        rollback_turn(self.desk.res, RollbackTurn(operation="rollbackTurn", **turn))
        del self.open[session], self.staged[session]

    @rule(session=st.sampled_from(SESSIONS), word=WORDS)
    def search(self, session: str, word: str) -> None:
        found = self.desk.tool(self.turn(session), "search_memory", query=word, limit=50)
        sources: Any = found.output["sources"]
        wanted = {summary for summary in self.view(session).values() if word in summary}
        assert wanted <= {one["summary"] for one in sources} <= set(self.view(session).values())

    @rule(old=consumes(ids))
    def forget(self, old: str) -> None:
        """Fewer ids make replacements of the same record likelier."""

    @invariant()
    def every_session_lists_what_it_may_see(self) -> None:
        for session in SESSIONS:
            sources: Any = self.desk.tool(self.turn(session), "search_memory", limit=50).output["sources"]
            assert {one["memoryId"]: one["summary"] for one in sources} == self.view(session)


TestTurns = Turns.TestCase
TestTurns.settings = settings(
    max_examples=30, stateful_step_count=15, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
