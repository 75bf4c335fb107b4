"""How tests are spread over processes, and the one OpenSearch that they share."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.shared_node import SharedNode, url_in

LONGEST = ("test_requests_table", "test_index", "test_demo", "test_real_conversations", "test_faults")
"""Beginnings of the names of files that would otherwise be waited for at the end."""
_NODE = pytest.StashKey[SharedNode]()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Group by file, unless a test names its group; longest files first."""
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.path.stem))
    items.sort(key=lambda item: next((n for n, name in enumerate(LONGEST) if item.path.stem.startswith(name)), 99))


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
