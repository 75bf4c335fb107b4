"""memoir's function over what a real OpenSearch finds: a hundred candidates by words and a hundred by meaning."""

import shutil
import tempfile
import uuid
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from infra.local.opensearch.node import start_node
from memoir.adapters.opensearch.http import Http
from memoir.adapters.opensearch.index import OpenSearchIndex
from memoir.domain.ranking import SearchMode, rank
from memoir.domain.record import RecordVector
from memoir.domain.tokens import Query
from memoir.ports import IndexQuery
from tests.bench.quality.methods import ARM, Asked, Prepared
from tests.bench.quality.metrics import DEPTH
from tests.builders import record


class RealIndex:
    """A node of its own; a context manager. Each group of a set is an agent of its own in it."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="memoir-bench-"))
        self._child, url = start_node(self._folder, self._folder / "opensearch.log", say)
        self._http = Http(url, read_seconds=30)
        self._agents: dict[tuple[str, int], str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._child.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def method(self, prepared: Prepared, asked: Asked) -> list[str]:
        """Rank what the index answers, by its own counts."""
        index = OpenSearchIndex(self._http, prepared.profile, search_seconds=20)
        agent = self._agent(index, prepared)
        query = Query.of(asked[0])
        answer = index.search(IndexQuery(agent, "s", True, None, (), (), query.terms, asked[1], ARM))
        ranking = rank(
            query, asked[1], answer.candidates, answer.statistics, mode=SearchMode.HYBRID, profile=prepared.profile
        )
        return [one.id for one in ranking.results[:DEPTH]]

    def _agent(self, index: OpenSearchIndex, prepared: Prepared) -> str:
        """The agent that holds the group's texts, written when it is first asked."""
        key = (index.name, id(prepared.group))
        if key not in self._agents:
            self._agents[key] = str(uuid.uuid4())
            index.ensure()
            model = prepared.profile.model
            index.write(
                [
                    record(
                        prepared.group.texts[one.id],
                        memory_id=one.id,
                        action_id=self._agents[key],
                        created=one.created,
                        tokens=one.tokens,
                        vector=RecordVector(model, one.vector) if one.vector else None,
                    )
                    for one in prepared.candidates
                ]
            )
        return self._agents[key]
