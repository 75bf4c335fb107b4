"""``SearchIndex`` over OpenSearch: one ``_msearch`` a search, external versions for writes (SPEC §5)."""

import json
import time
from collections.abc import Sequence
from typing import Any

from memoir.adapters.opensearch.http import NOT_FOUND, Http
from memoir.adapters.opensearch.mapping import (
    RECORD,
    RETURNED,
    candidate,
    document,
    document_id,
    document_version,
    index_body,
    index_name,
    label,
)
from memoir.domain.embedding import EmbedderProfile
from memoir.domain.errors import IndexUnavailable
from memoir.domain.ranking import Candidate, Statistics
from memoir.domain.record import Record
from memoir.ports import IndexAnswer, IndexQuery, IndexState

READY_TRIES = 150
READY_PAUSE = 0.1
"""Seconds between tries: a new index has a quarter of a minute."""
BULK_BYTES = 4_000_000
CONFLICT = 409
"""A newer state is there already, which is as good."""

Json = dict[str, Any]


class OpenSearchIndex:
    """One index of one model.

    Args:
        http: The cluster.
        profile: The model.
        replicas: Copies of the shard of a new index.
        refresh: How often a new index makes writes visible, as ``1s``.
        search_seconds: How long each part of a search may take before it is given up.
    """

    def __init__(
        self,
        http: Http,
        profile: EmbedderProfile,
        *,
        replicas: int = 0,
        refresh: str = "1s",
        search_seconds: float = 2.0,
    ) -> None:
        self._http = http
        self._profile = profile
        self._replicas = replicas
        self._refresh = refresh
        self._time = f"{round(search_seconds * 1_000)}ms"
        self.name = index_name(profile)

    def search(self, query: IndexQuery) -> IndexAnswer:
        """Candidates of both arms and counts, in one request."""
        arms = [arm for arm in (_words(query), _meaning(query)) if arm is not None]
        head = json.dumps({"index": self.name, "routing": query.action_id})
        bodies = [{**body, "timeout": self._time} for body in (*arms, _counts(query))]
        lines = [line for body in bodies for line in (head, json.dumps(body))]
        answer = self._http.read("POST", "/_msearch", "\n".join(lines) + "\n")
        try:
            return _answer(query, answer, len(arms))
        except (KeyError, TypeError, ValueError) as exc:
            raise IndexUnavailable("OpenSearch did not answer the search as asked") from exc

    def write(self, records: Sequence[Record]) -> None:
        """Write records in their current state and wait until searches see them."""
        batch: list[str] = []
        size = 0
        for record in records:
            action = {
                "_index": self.name,
                "_id": document_id(record),
                "routing": record.action_id,
                "version": document_version(record, self._profile),
                "version_type": "external_gte",
            }
            lines = [json.dumps({"index": action}), json.dumps(document(record, self._profile))]
            size += sum(map(len, lines))
            batch += lines
            if size > BULK_BYTES:
                self._bulk(batch)
                batch, size = [], 0
        if batch:
            self._bulk(batch)

    def _bulk(self, lines: Sequence[str]) -> None:
        answer = self._http.write("POST", "/_bulk?refresh=wait_for&require_alias=false", "\n".join(lines) + "\n")
        for row in answer.get("items", [{"index": {"status": NOT_FOUND}}]):
            status = row["index"]["status"]
            if status >= 300 and status != CONFLICT:
                raise IndexUnavailable(f"OpenSearch refused a document with status {status}")

    def ensure(self) -> None:
        """Create the index if it is not there, and wait until it can be searched."""
        if not self._exists():
            body = index_body(self._profile, replicas=self._replicas, refresh=self._refresh)
            try:
                self._http.write("PUT", f"/{self.name}", json.dumps(body))
            except IndexUnavailable:
                # NOTE: two that create it at once: one is refused, and the index is there.
                if not self._exists():
                    raise
        self._wait_until_searchable()

    def _wait_until_searchable(self) -> None:
        # NOTE: a new index refuses to be counted for a moment, even when the cluster's health says that it is ready.
        for tried in range(READY_TRIES):
            try:
                self.describe()
            except IndexUnavailable:
                if tried == READY_TRIES - 1:
                    raise
                time.sleep(READY_PAUSE)
            else:
                return

    def _exists(self) -> bool:
        return self._http.read("GET", f"/{self.name}/_mapping").get("status") != NOT_FOUND

    def describe(self) -> IndexState:
        """Its name and size."""
        answer = self._http.read("GET", f"/{self.name}/_count")
        if answer.get("status") == NOT_FOUND:
            return IndexState(self.name, exists=False, documents=0)
        return IndexState(self.name, exists=True, documents=int(answer["count"]))


def _answer(query: IndexQuery, answer: Json, arms: int) -> IndexAnswer:
    responses = answer["responses"]
    if len(responses) != arms + 1:
        raise IndexUnavailable("OpenSearch did not answer every part of the search")
    for one in responses:
        _check(one)
    hits = [hit["_source"] for one in responses[:-1] for hit in one["hits"]["hits"]]
    known = [one for one in map(candidate, hits) if one is not None]
    unique: dict[str, Candidate] = {one.id: one for one in known}
    return IndexAnswer(tuple(unique.values()), _statistics(query, responses[-1]))


def _visible(query: IndexQuery, *, narrowed: bool) -> list[Json]:
    """What the search may see; with its kind and labels when ``narrowed``."""
    scopes: list[Json] = []
    if query.agent:
        scopes.append({"term": {"scope": "AGENT"}})
    if query.session is not None:
        scopes.append({"bool": {"filter": [{"term": {"scope": "SESSION"}}, {"term": {"session": query.session}}]}})
    filters: list[Json] = [
        {"term": {"type": RECORD}},
        {"term": {"agent": query.action_id}},
        {"term": {"active": True}},
        {"bool": {"should": scopes, "minimum_should_match": 1}},
    ]
    if not query.preview:
        filters.append({"term": {"preview": False}})
    if query.excluded:
        filters.append({"bool": {"must_not": {"terms": {"memory": list(query.excluded)}}}})
    if narrowed and query.kind is not None:
        filters.append({"term": {"kind": query.kind}})
    if narrowed:
        filters += [{"term": {"labels": label(number, value)}} for number, value in query.labels]
    return filters


def _arm(query: IndexQuery, clause: Json) -> Json:
    return {"query": clause, "size": query.size, "_source": RETURNED, "track_total_hits": False}


def _words(query: IndexQuery) -> Json | None:
    if not query.terms:
        return None
    match = {"match": {"tokens": {"query": " ".join(query.terms), "operator": "or"}}}
    return _arm(query, {"bool": {"must": match, "filter": _visible(query, narrowed=True)}})


def _meaning(query: IndexQuery) -> Json | None:
    if query.vector is None:
        return None
    within = {"bool": {"filter": _visible(query, narrowed=True)}}
    return _arm(query, {"knn": {"vector": {"vector": query.vector, "k": query.size, "filter": within}}})


def _counts(query: IndexQuery) -> Json:
    body: Json = {
        "query": {"bool": {"filter": _visible(query, narrowed=False)}},
        "size": 0,
        "track_total_hits": True,
    }
    if query.terms:
        body["aggs"] = {"terms": {"filters": {"filters": [{"term": {"tokens": term}} for term in query.terms]}}}
    return body


def _statistics(query: IndexQuery, answer: Json) -> Statistics:
    buckets = answer["aggregations"]["terms"]["buckets"] if query.terms else []
    counts = (int(bucket["doc_count"]) for bucket in buckets)
    return Statistics(int(answer["hits"]["total"]["value"]), dict(zip(query.terms, counts, strict=True)))


def _check(answer: Json) -> None:
    """Refuse a part of the answer that is an error or incomplete: half an answer would say "nothing found"."""
    if "hits" not in answer or answer.get("timed_out") or answer.get("_shards", {}).get("failed"):
        raise IndexUnavailable("OpenSearch answered a search with an error or in part")
