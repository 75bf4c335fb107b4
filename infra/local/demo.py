"""``make demo``: a bank's support desk serves its customers through memoir, on this machine (SPEC §14).

Every promise that the story shows is checked against the running system; the exit code is 1 when one does not hold.
"""

import argparse
import io
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.console import Console

from infra.local import demo_faults, demo_index, demo_review, demo_scenes
from infra.local.demo_cast import AGENT_ID, HARNESS, Scene
from infra.local.demo_meter import Meter
from infra.local.demo_screen import Screen
from infra.local.demo_script import CHINESE, CODES, CORRECTION, FORGET
from infra.local.demo_stage import APART, Stage
from infra.local.demo_story import FIRST_VISIT, LESSON, OTHER_CUSTOMER
from infra.local.processes import PartFailed
from infra.local.system import LocalSystem
from memoir.client import MemoirClientError

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient

INTRODUCTION = """
A bank's support desk serves Maya, Daniel and 晓雨, each in a session of their own. \
No model runs here: the desk's words are a script. What it remembers, finds and \
forgets is memoir's work, and each ✓ is a promise that was checked just now.

recalls 3  memoir put three records before the model; here are the ones at issue
saves      what the desk keeps, for this session only or for all sessions
"""


def played(scene: Scene) -> Callable[[Stage], None]:
    """A scripted scene as something to play."""
    return lambda stage: stage.play(scene)


def main(argv: Sequence[str]) -> int:
    """Start the system, play the story, stop the system.

    Args:
        argv: No arguments but ``--help``.

    Returns:
        0, or 1 when a promise did not hold, or 130 after Ctrl-C.
    """
    about = "A bank's support desk serves its customers through memoir, on this machine. Exit code 1: a promise failed."
    argparse.ArgumentParser(prog="make demo", description=about).parse_args(argv)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    console = Console(highlight=False, emoji=False)
    console.print("Starting memoir on this machine, every part of it on 127.0.0.1:")
    try:
        with LocalSystem(review="builtin", say=lambda text: console.print(f"  {text} …", markup=False)) as system:
            return play(console, system.lambda_client(), system.function_name, scenes_for(system))
    except PartFailed as error:
        console.print(f"memoir did not start: {error}", markup=False)
        return 1
    except KeyboardInterrupt:
        console.print("Stopped; nothing is left running.")
        return 130


SCENES: tuple[Callable[[Stage], None], ...] = (
    played(FIRST_VISIT),
    played(OTHER_CUSTOMER),
    demo_scenes.out_of_reach,
    played(LESSON),
    played(CODES),
    demo_faults.failed_turn,
    played(CORRECTION),
    demo_scenes.correction_stays_readable,
    played(CHINESE),
    demo_scenes.said_twice,
    demo_scenes.pins,
    demo_scenes.helper,
    demo_scenes.letter,
    demo_faults.not_yet,
    demo_faults.busy,
    demo_faults.lost_answer,
    played(FORGET),
    demo_scenes.deletion_stays_readable,
    demo_scenes.pages,
)


def scenes_for(system: LocalSystem) -> Sequence[Callable[[Stage], None]]:
    """The scenes that a system can show: those about reviews and the index only where there are such."""
    scenes = [*SCENES]
    if system.reviews:
        scenes += [demo_review.learning, demo_review.preview]
    if system.pump is not None:
        indexing = demo_index.Indexing(system.pump, system.dynamodb_endpoint)
        scenes.append(lambda stage: demo_index.behind(stage, indexing))
    return scenes


def play(
    console: Console,
    client: "LambdaClient",
    function_name: str,
    scenes: Sequence[Callable[[Stage], None]] = SCENES,
) -> int:
    """Play scenes against a system.

    Args:
        console: Where they are shown.
        client: boto3's Lambda client.
        function_name: The ``agent_runtime`` function.
        scenes: What to play, in order.

    Returns:
        0, or 1 when a promise did not hold.
    """
    started = time.monotonic()
    stage = Stage(Meter(client), function_name, Screen(console))
    screen = stage.screen
    screen.plain(INTRODUCTION)
    try:
        registered = stage.memoir.register_agent(action_id=AGENT_ID, name="Harbour Bank support desk", harness=HARNESS)
        screen.plain(f"Registered the desk as version {registered.version} of agent {AGENT_ID}.", "dim")
        for scene in scenes:
            scene(stage)
        screen.heading("Every record, as it is now")
        screen.records(stage.rows())
    except MemoirClientError as error:
        screen.promise("Every call is answered", str(error))
    screen.heading("Requests to the function")
    screen.requests(stage.meter.measured())
    screen.verdict(APART)
    screen.plain(f"{stage.turns} turns in {time.monotonic() - started:.0f} seconds.", "dim")
    return 1 if screen.promises.broken else 0
