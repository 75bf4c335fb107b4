"""How many requests each operation makes of DynamoDB, measured from outside, and the table that shows it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain

from tests.e2e.between import READS, Between, Seen, round_trips
from tests.e2e.driver import Agent, Json, Turn, harness, new_id

SIZES = (10, 1_000)
QUIET = 0.08
"""Seconds after which no request comes any more that could have gone beside the last one."""


@dataclass(frozen=True)
class Cost:
    """What one call costs: requests to DynamoDB, how many of them follow one another, and embeddings."""

    reads: int
    writes: int
    transactions: int
    round_trips: int
    embeddings: int

    @staticmethod
    def of(seen: list[Seen], embeddings: int) -> "Cost":
        transactions = sum(one.operation == "TransactWriteItems" for one in seen)
        reads = sum(one.operation in READS for one in seen)
        return Cost(reads, len(seen) - reads - transactions, transactions, round_trips(seen), embeddings)


def steps(turn: Turn, newest: list[str]) -> Iterator[tuple[str, Callable[[], object]]]:
    """The calls inside a turn that are measured, by name; the changes come last."""
    yield "recall", lambda: turn.recall("which fact is it?")
    yield "recall, without text", lambda: turn.recall()
    yield "search_memory, by query", lambda: turn.search("which fact is it?")
    yield "search_memory, a page of the list", lambda: turn.search()
    yield "search_memory, ten by ids", lambda: turn.search(ids=newest)
    yield "read_memory", lambda: turn.read(newest[0])
    yield "appendEvents", lambda: turn.says("it is this one")
    yield "describeTurn", lambda: turn.describe()
    yield "add_memory", lambda: turn.add(f"new {new_id()}", scope="agent")
    yield "add_memory, replacing", lambda: turn.add(f"new {new_id()}", scope="agent", replaces=newest[0])
    yield "delete_memory", lambda: turn.delete(newest[1])
    yield "commitTurn, three changes", lambda: turn.commit()
    yield "commitTurn, again", lambda: turn.commit()


def newest_of(agent: Agent) -> list[str]:
    """Ids of the ten newest records."""
    with agent.turn("look") as turn:
        return turn.search().ids


def embeddings_of(agent: Agent) -> dict[str, int]:
    """How often each call inside a turn embeds, by its name: a turn for each, since the commit tells their sum."""
    found = {}
    for number in range(len(list(steps(agent.begin(new_id()), ["", ""])))):
        newest = newest_of(agent)
        turn = agent.begin(new_id())
        name, call = list(steps(turn, newest))[number]
        call()
        usage = turn.commit()["usage"]
        found[name] = sum(int(use["calls"]) for use in usage if use["purpose"] == "embed")
    return found


def around_a_turn(agent: Agent) -> Iterator[tuple[str, Callable[[], object]]]:
    """The calls that are measured outside of a turn."""
    session, given_up = new_id(), agent.begin(new_id())
    yield "registerAgent, as it is", lambda: agent.register(harness())
    yield "registerAgent, a new version", lambda: agent.register(harness(kinds=[new_id()]))
    agent.register(harness())
    agent.begin(new_id())
    yield "beginTurn", lambda: agent.begin(session)
    yield "rollbackTurn", lambda: given_up.rollback()


def measure(between: Between, agent: Agent, embeddings: dict[str, int]) -> dict[str, Cost]:
    """The cost of every operation, by name; a first pass fills caches."""
    found: dict[str, Cost] = {}
    for quiet in (0.0, QUIET):
        newest = newest_of(agent)
        for name, call in chain(around_a_turn(agent), steps(agent.begin(new_id(), "which fact is it?"), newest)):
            with between.watching(quiet) as seen:
                call()
            found[name] = Cost.of(seen, embeddings.get(name, 0))
    return found


def both(small: int, large: int) -> str:
    """One number, or the two when they differ."""
    return str(small) if small == large else f"{small} / {large}"


def render(costs: dict[int, dict[str, Cost]]) -> str:
    """The page ``docs/requests.md``."""
    small, large = (costs[size] for size in SIZES)
    rows = [
        " | ".join([f"| {name}", *(both(getattr(small[name], f), getattr(large[name], f)) for f in COLUMNS.values())])
        + " |"
        for name in sorted(small)
    ]
    head = "| operation | " + " | ".join(COLUMNS) + " |\n|---|" + "--:|" * len(COLUMNS)
    return "\n".join([TEXT, head, *rows]) + "\n"


COLUMNS = {
    "reads": "reads",
    "writes": "writes",
    "transactions": "transactions",
    "in sequence": "round_trips",
    "embeddings": "embeddings",
}
TEXT = """# Requests of each operation

What a call costs in requests to DynamoDB and in embeddings, in a warm function, without the index. Each row was counted
by a proxy between the functions and DynamoDB, for an agent with 10 records and for one with 1,000; where the two
differ, both numbers stand. `make test` counts again and fails when this page is not true
(`tests/e2e/test_requests_table.py`; `MEMOIR_WRITE_DOCS=1` writes the page anew).

- **reads**: GetItem, BatchGetItem and Query requests; **writes**: single writes outside of transactions;
  **transactions**: TransactWriteItems requests, each all or nothing.
- **in sequence**: of all these requests, the most that had to wait for one another; the others run side by side.
- **embeddings**: texts that the embedder was given. In `lexical` mode a search and a recall need none.
- Reviews are off here. One adds, to its commit, the reading of the conversation, two single-item transactions (its
  intent and its outcome), and a search for each candidate.
- Without the index a search ranks the newest 500 records that it may see, so that it reads more of a large memory.
"""


def parse(page: str) -> dict[str, Json]:
    """The rows of the page by operation."""
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| ")]
    return {row[0]: dict(zip(COLUMNS, row[1:], strict=True)) for row in rows[1:]}
