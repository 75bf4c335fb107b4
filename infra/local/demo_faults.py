"""The demo's scenes about what goes wrong: turns that fail, that overlap, and answers that get lost."""

from concurrent.futures import ThreadPoolExecutor

from infra.local.demo_cast import AGENT_ID, DANIEL, MAYA, PRINCIPAL, Save, Tool
from infra.local.demo_script import AWAY, TRAVEL
from infra.local.demo_stage import Stage
from memoir.client import AttemptStatus, ErrorCode, Memoir, MemoirCallError, Turn


class CoreBankingDown(Exception):
    """The bank's own system does not answer."""


def failed_turn(stage: Stage) -> None:
    """A turn fails after it saved something, and is tried again as invocation 2."""
    stage.screen.scene(
        "Wednesday · a turn fails and is tried again",
        "the first attempt saves a guess, then the bank's system breaks: nothing of it may stay.",
    )
    turn = stage.turn(DANIEL, "Please take my mortgage payment on the 28th from now on.")
    try:
        with turn:
            stage.recall(turn, DANIEL, ["daniel_mortgage"])
            stage.save(turn, DANIEL, Save("guess", "Daniel's mortgage payment leaves on the 1st of the month"))
            stage.screen.line("tool", "set_payment_day(day: 28) → no answer from the core system", "red", short=True)
            raise CoreBankingDown  # noqa: TRY301 - this is how a runtime's own failure ends the block
    except CoreBankingDown:
        stage.screen.line("", "the block raised, so the client rolled the turn back; once more, as invocation 2", "dim")
    with turn.retry() as again:
        stage.recall(again, DANIEL, ["daniel_mortgage"])
        guesses = stage.search(again, DANIEL, "mortgage payment leaves on the 1st", limit=50)
        stage.tool(again, Tool("set_payment_day", {"loan": "GB-M-20771", "day": 28}, {"status": "DONE"}))
        stage.save(again, DANIEL, Save("daniel_payday", "Daniel's mortgage payment leaves on the 28th of the month"))
        stage.reply(again, "Done: your payment leaves on the 28th from now on.")
    guess = stage.facts.pop("guess").memory_id
    left = guess in [record.memory_id for record in guesses]
    stage.screen.promise("A turn that rolls back leaves no record", "its guess was found" if left else None)
    first, second = (stage.memoir.describe(execution_id=turn.execution_id, invocation_number=n) for n in (1, 2))
    kept = (first.status, second.status) == (AttemptStatus.ROLLED_BACK, AttemptStatus.COMMITTED)
    right = kept and first.turn == second.turn
    state = f"attempts are {first.status} and {second.status}, turns {first.turn} and {second.turn}"
    stage.screen.promise("The retry keeps the turn's number and starts from nothing", None if right else state)


def not_yet(stage: Stage) -> None:
    """What is not committed is seen by its own turn and by nobody else."""
    stage.screen.scene(
        "Friday · not said until it is committed", "a lesson for all sessions is being written; Daniel asks meanwhile."
    )
    lesson = Save("lesson_post", "Before Christmas the post to Leith takes two days longer", "guidance", scope="agent")
    query = "is the post slow before Christmas?"

    def seen(turn: Turn) -> bool:
        found = turn.search(query).raise_for_status().sources
        return stage.facts["lesson_post"].memory_id in [record.memory_id for record in found]

    with stage.turn(MAYA, "My letter of Monday only came today.") as turn:
        stage.recall(turn, MAYA)
        stage.save(turn, MAYA, lesson)
        own = seen(turn)
        with stage.turn(DANIEL, "When will my card be here?") as other:
            early = seen(other)
            stage.reply(other, "On Friday, Daniel, if the post is on time.")
        stage.reply(turn, "The post is slow this week, Maya; I will tell my colleagues.")
    with stage.turn(DANIEL, "Nothing yet. Is the post slow before Christmas?") as later:
        stage.recall(later, DANIEL, ["lesson_post"])
        late = seen(later)
        stage.reply(later, "Yes, it takes two days longer at the moment.")
    stage.screen.promise("A turn sees what it has just saved", None if own else "it did not find its own record")
    stage.screen.promise("Nobody else sees it before the commit", "Daniel's session found it" if early else None)
    stage.screen.promise("Other sessions see it afterwards", None if late else "Daniel's session does not find it")


def busy(stage: Stage) -> None:
    """One open turn per session: the second waits for the first."""
    stage.screen.scene(
        "Friday · two windows at once", "Maya writes in the app and on the web at the same time: turns stay in order."
    )
    with ThreadPoolExecutor() as pool:
        with stage.turn(MAYA, "(app) What is my balance?") as first:
            second = stage.turn(MAYA, "(web) And my last payment?")
            refused = _refusal(stage.impatient)
            waiting = pool.submit(_number_after_waiting, second)
            stage.reply(first, "(app) 1,284.16 pounds.")
        number = waiting.result()
    stage.screen.line("desk", "(web) 350.00 to J. Baird.")
    stage.screen.promise(
        "A session has one open turn: another one is told SESSION_BUSY",
        None if refused is ErrorCode.SESSION_BUSY else f"it got {refused}",
    )
    stage.screen.promise(
        "The client waits for its place, and the turns are numbered in order",
        None if number == (first.number or 0) + 1 else f"turn {first.number}, then turn {number}",
    )


def lost_answer(stage: Stage) -> None:
    """The network loses a commit's answer; and two commits overlap."""
    stage.screen.scene(
        "Friday · the network loses an answer",
        "the commit happened but nobody heard: the client asks again and gets the same answer.",
    )
    with stage.turn(DANIEL, TRAVEL.says) as turn:
        stage.act(turn, TRAVEL)
        stage.meter.lose_next_answer("commitTurn")
    first = turn.result
    stage.screen.line("", "the first answer never came, the second did", "dim")
    same = first is not None and first == turn.commit() and len(first.written) == 1
    stage.screen.promise(
        "A commit whose answer was lost is repeated and gives the same answer", None if same else f"first {first}"
    )
    with ThreadPoolExecutor() as pool, stage.turn(DANIEL, AWAY.says) as later:
        stage.act(later, AWAY)
        one, other = [waiting.result() for waiting in [pool.submit(later.commit) for _ in range(2)]]
    with stage.turn(DANIEL, "Thank you. Enjoy the weekend!") as last:
        held = [record.summary for record in stage.search(last, DANIEL, None, limit=50)]
        stage.reply(last, "You too, Daniel.")
    twice = len(held) != len(set(held))
    stage.screen.promise(
        "Two commits of one turn that overlap are one commit",
        None if one == other and len(one.written) == 1 and not twice else f"{one} and {other}",
    )


def _number_after_waiting(turn: Turn) -> int | None:
    with turn:
        turn.recall()
        turn.reply("(web) 350.00 to J. Baird.")
    return turn.number


def _refusal(impatient: Memoir) -> ErrorCode | None:
    turn = impatient.turn(action_id=AGENT_ID, session_id=MAYA.session_id, principal=PRINCIPAL, message="(web) Hello?")
    try:
        with turn:
            turn.rollback()
    except MemoirCallError as error:
        return error.code
    return None
