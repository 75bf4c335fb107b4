"""How tests are spread over processes: a file stays together, and the longest files begin first."""

import pytest

LONGEST = ("test_requests_table", "test_index", "test_demo", "test_real_conversations", "test_faults")
"""Beginnings of the names of files that would otherwise be waited for at the end."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Group by file, unless a test names its group; longest files first."""
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.path.stem))
    items.sort(key=lambda item: next((n for n, name in enumerate(LONGEST) if item.path.stem.startswith(name)), 99))
