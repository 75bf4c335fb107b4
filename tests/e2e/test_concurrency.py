"""Many at once: one fact, one successor, no row of another agent (CASES W4, S11; SPEC §3, §4)."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from tests.e2e.driver import Agent, Json, Turn, ids


def commit_together(turns: list[Turn]) -> list[Json]:
    """Commit all turns at the same moment; their replies."""
    barrier = Barrier(len(turns))

    def commit(turn: Turn) -> Json:
        barrier.wait()
        return turn.reply("commitTurn")

    with ThreadPoolExecutor(len(turns)) as pool:
        return list(pool.map(commit, turns))


def begin_many(agent: Agent, count: int) -> list[Turn]:
    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(lambda n: agent.begin(f"s{n}"), range(count)))


def test_16_writers_of_one_fact_make_one_record(words: Agent) -> None:
    turns = begin_many(words, 16)
    with ThreadPoolExecutor(8) as pool:
        given = list(pool.map(lambda t: t.add("refunds take five days", scope="agent"), turns))
    assert len(set(given)) == 16
    results = [reply["result"] for reply in commit_together(turns)]
    written = [memory_id for result in results for memory_id in ids(result["written"])]
    assert len(written) == 1
    skipped = [skip for result in results for skip in result["skipped"]]
    assert {skip["existingId"] for skip in skipped} == set(written)
    assert {skip["memoryId"] for skip in skipped} == set(given) - set(written)
    turn = words.begin("later")
    assert ids(turn.listed()) == written
    assert turn.read(written[0])["version"] == 1
    assert turn.search(ids=given).ids == written


def test_of_16_replacements_of_one_record_one_commits_and_15_are_told_which_record(words: Agent) -> None:
    shared = words.remember("refunds take five days", session="first", scope="agent")
    turns = begin_many(words, 16)
    with ThreadPoolExecutor(8) as pool:
        new = list(
            pool.map(lambda n: turns[n].add(f"refunds take {n} hours", scope="agent", replaces=shared), range(16))
        )
    replies = commit_together(turns)
    winners = [n for n, reply in enumerate(replies) if "result" in reply]
    errors = [reply["error"] for reply in replies if "error" in reply]
    assert len(winners) == 1
    assert [error["code"] for error in errors] == ["CONFLICT"] * 15
    assert all(shared in error["message"] for error in errors)
    turn = words.begin("later")
    assert ids(turn.listed()) == [new[winners[0]]]
    past = turn.read(shared)
    assert (past["status"], past["version"], past["replacedBy"]) == ("SUPERSEDED", 2, new[winners[0]])
    assert {turns[n].describe()["status"] for n in range(16) if n not in winners} == {"ROLLED_BACK"}


def test_8_deletions_of_one_record_leave_one_deleted_version(words: Agent) -> None:
    shared = words.remember("refunds take five days", session="first", scope="agent")
    turns = begin_many(words, 8)
    for turn in turns:
        turn.delete(shared)
    for reply in commit_together(turns):
        assert "result" in reply or reply["error"]["code"] == "CONFLICT"
    entry = words.begin("later").read(shared)
    assert (entry["status"], entry["version"]) == ("DELETED", 2)


def test_a_replacement_and_a_deletion_at_once_leave_one_story(words: Agent) -> None:
    for n in range(3):
        shared = words.remember(f"fact {n}", session="first", scope="agent")
        replacing, deleting = words.begin(f"a{n}"), words.begin(f"b{n}")
        new = replacing.add(f"fact {n}, corrected", scope="agent", replaces=shared)
        deleting.delete(shared)
        replaced = "result" in commit_together([replacing, deleting])[0]
        turn = words.begin(f"later {n}")
        past = turn.read(shared)
        assert past["status"] in ({"SUPERSEDED", "DELETED"} if replaced else {"DELETED"})
        assert past["replacedBy"] == (new if replaced else None)
        assert (new in ids(turn.listed())) == replaced


def test_a_commit_and_a_roll_back_at_once_are_one_or_the_other(words: Agent) -> None:
    for n in range(4):
        turn = words.begin(f"s{n}")
        turn.add(f"fact {n}")
        with ThreadPoolExecutor(2) as pool:
            commit, rollback = pool.map(turn.reply, ["commitTurn", "rollbackTurn"])
        assert ("result" in commit) != ("result" in rollback)
        assert words.visible(f"s{n}") == ([f"fact {n}"] if "result" in commit else [])


def test_a_commit_and_a_retry_at_once_are_one_or_the_other(words: Agent) -> None:
    for n in range(4):
        turn = words.begin(f"s{n}")
        turn.add(f"fact {n}")
        retry = {**turn.request, "invocationNumber": 2}
        with ThreadPoolExecutor(2) as pool:
            commit = pool.submit(turn.reply, "commitTurn")
            begun = pool.submit(words.runtime.reply, "beginTurn", retry)
        assert ("result" in commit.result()) != ("result" in begun.result())


def test_nothing_is_staged_after_the_commit_whatever_was_acknowledged_is_there(words: Agent) -> None:
    turn = words.begin()

    def add(n: int) -> str | None:
        reply = turn.reply("callTool", callId=f"{n}", name="add_memory", input={"summary": f"fact {n}", "kind": "fact"})
        return str(reply["result"]["output"]["memories"][0]["memoryId"]) if "result" in reply else None

    with ThreadPoolExecutor(5) as pool:
        adds = [pool.submit(add, n) for n in range(8)]
        commit = pool.submit(turn.reply, "commitTurn")
    acknowledged = {memory_id for memory_id in (future.result() for future in adds) if memory_id}
    assert set(ids(commit.result()["result"]["written"])) == acknowledged
