"""How tests are spread over processes, and the one OpenSearch that they share."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

from tests.shared_node import SharedNode, url_in

LONGEST = ("index", "mode=", "test_requests_table", "opensearch", "test_demo", "test_faults", "test_real", "bench")
"""Parts of the names of groups that would otherwise be waited for at the end."""
_MODE = re.compile(r"mode=\w+")
_NODE = pytest.StashKey[SharedNode]()


def group_of(nodeid: str) -> str:
    """Tests of one group run in one process: a file, a mode of the end-to-end tests, or all that have the index."""
    file = nodeid.partition("::")[0]
    if mode := _MODE.search(nodeid):
        return mode[0]
    return "index" if "/integration/test_index" in file else file


class Groups(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """Hands out whole groups."""

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Groups:
    """Hand out whole groups to the run's processes."""
    return Groups(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest files."""

    def place(item: pytest.Item) -> int:
        return next((n for n, name in enumerate(LONGEST) if name in group_of(item.nodeid)), len(LONGEST))

    items.sort(key=place)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Start the node when a run has several processes, and tell each of them where it will be."""
    stash = node.config.stash
    if "OPENSEARCH_URL" not in os.environ:
        if _NODE not in stash:
            stash[_NODE] = SharedNode()
        node.workerinput["opensearch_file"] = str(stash[_NODE].file)


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the node."""
    if _NODE in config.stash:
        config.stash[_NODE].stop()


@pytest.fixture(scope="session")
def opensearch(request: pytest.FixtureRequest) -> Iterator[str]:
    """URL of the run's OpenSearch."""
    told = getattr(request.config, "workerinput", {}).get("opensearch_file")
    if given := os.environ.get("OPENSEARCH_URL"):
        yield given
    elif told:
        yield url_in(Path(told))
    else:
        node = SharedNode()
        yield url_in(node.file)
        node.stop()
