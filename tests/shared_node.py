"""One OpenSearch for all processes of a test run."""

import json
import shutil
import tempfile
import threading
import time
from pathlib import Path

from infra.local.opensearch.node import start_node
from infra.local.processes import Child

SECONDS = 600
"""Time for the first fetch."""


class SharedNode:
    """A node that the run's first process starts in the background, and whose URL a file tells the others."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="memoir-node-"))
        self.file = self._folder / "node.json"
        self._child: Child | None = None
        self._thread = threading.Thread(target=self._start, daemon=True)
        self._thread.start()

    def _start(self) -> None:
        try:
            self._child, url = start_node(self._folder, self._folder / "opensearch.log", lambda _: None)
            facts = {"url": url}
        except Exception as error:  # noqa: BLE001 - told to whoever waits
            facts = {"error": str(error)}
        part = self.file.with_suffix(".part")
        part.write_text(json.dumps(facts))
        part.replace(self.file)

    def stop(self) -> None:
        """End the node."""
        self._thread.join(SECONDS)
        if self._child is not None:
            self._child.stop()
        shutil.rmtree(self._folder, ignore_errors=True)


def url_in(file: Path) -> str:
    """Wait for the node; its URL."""
    ends = time.monotonic() + SECONDS
    while not file.exists():
        assert time.monotonic() < ends, "OpenSearch did not start"
        time.sleep(0.1)
    facts = json.loads(file.read_text())
    assert "url" in facts, facts["error"]
    return str(facts["url"])
