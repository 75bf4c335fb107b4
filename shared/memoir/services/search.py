"""Searching memory by query, with the index or without it (page "Agent memory"; SPEC §4, §5).

The index finds candidates among millions and never decides: what it does not know yet comes from the overlay and the
turn's staged writes, all are ranked by one function with one set of statistics, and every hit is checked against its
stored record before it is returned.
"""

from collections.abc import Callable, Iterator, Sequence

from memoir.domain.errors import IndexUnavailable
from memoir.domain.ranking import Ranking, Statistics
from memoir.domain.record import Record
from memoir.domain.tokens import Query
from memoir.ports import IndexQuery, SearchIndex
from memoir.services.candidates import recent, staged_records
from memoir.services.ranked import Embedded, Filters, Found, Lack, Wanted, candidate, embed, in_order, ranked
from memoir.services.resources import Resources
from memoir.services.turns import Turn

ARM = 100
"""Candidates of each arm: they give the top 20 of ranking everything (RANKING)."""
MAX_INDEX_TERMS = 512
"""Terms of a long query that the index is asked for; the ranking picks among them by their frequencies."""
SPARE = 10
"""Hits that are checked beyond the limit, for those that are not to be seen."""


def find(res: Resources, turn: Turn, text: Callable[[], str], filters: Filters, limit: int) -> Found:
    """Rank the records within the turn's reach.

    Args:
        res: The ports.
        turn: Who searches.
        text: Gives any text, which is data; its own reads run beside the search's first. Empty: nothing is found.
        filters: Exact conditions.
        limit: Most records to return.
    """
    if res.index is None:
        asked = _asked(res, turn, text, filters, limit)
        return _find_newest(res, turn, *asked) if asked else Found(())
    execution = turn.execution
    overlay, asked = res.gather.gather(
        lambda: res.records.overlay(
            execution.action_id, execution.session_id, agent=turn.reading.agent, preview=execution.preview
        ),
        lambda: _asked(res, turn, text, filters, limit),
    )
    if asked is None:
        return Found(())
    try:
        found = _find_indexed(res, res.index, turn, *asked, overlay.memory_ids)
    except IndexUnavailable:
        return _find_newest(res, turn, *asked)
    return found if not overlay.behind else Found(found.records, found.ranking, found.lack, True, found.usage)


def _asked(
    res: Resources, turn: Turn, text: Callable[[], str], filters: Filters, limit: int
) -> tuple[Wanted, Embedded] | None:
    """What is wanted, with the query's vector; ``None`` when nothing is asked."""
    query = text()
    return (Wanted(query, Query.of(query), filters, limit), embed(res, turn, query)) if query else None


def _find_newest(res: Resources, turn: Turn, wanted: Wanted, embedded: Embedded) -> Found:
    """Rank the newest records that DynamoDB holds."""
    pool = recent(res, turn)
    kept = [record for record in pool.records if wanted.filters.keep(record)]
    statistics = Statistics.of(wanted.query.terms, [record.tokens for record in pool.records])
    candidates = [candidate(record, res.embedder.profile.model) for record in kept]
    ranking = ranked(res, turn, wanted.query, embedded, candidates, statistics)
    return Found(
        records=in_order(ranking, {record.memory_id: record for record in kept}, wanted.limit),
        ranking=ranking,
        lack=Lack(("index", *embedded.missing), len(pool.records)),
        behind=pool.behind,
        usage=embedded.usage,
    )


def _find_indexed(
    res: Resources, index: SearchIndex, turn: Turn, wanted: Wanted, embedded: Embedded, overlay: Sequence[str]
) -> Found:
    """Rank candidates of the index together with what it does not know yet."""
    newer = tuple(dict.fromkeys([*overlay, *turn.staged.touched(), *turn.hidden]))
    query = _index_query(turn, wanted, embedded, newer)
    answer, stored = res.gather.gather(
        lambda: index.search(query), lambda: res.records.get(turn.execution.action_id, newer)
    )
    fresh = [*staged_records(turn), *turn.visible(stored.values())]
    kept = [record for record in fresh if wanted.filters.keep(record)]
    known = Statistics.of(query.terms, [record.tokens for record in fresh])
    model = res.embedder.profile.model
    candidates = [*answer.candidates, *(candidate(record, model) for record in kept)]
    ranking = ranked(res, turn, wanted.query, embedded, candidates, answer.statistics + known)
    records = _checked(res, turn, wanted, ranking, {record.memory_id: record for record in kept})
    searched = answer.statistics.documents + known.documents
    lack = Lack(embedded.missing, searched) if embedded.missing else None
    return Found(records, ranking, lack, usage=embedded.usage)


def _index_query(turn: Turn, wanted: Wanted, embedded: Embedded, excluded: tuple[str, ...]) -> IndexQuery:
    query = wanted.query
    terms = tuple(sorted(query.terms, key=lambda term: term not in query.codes)[:MAX_INDEX_TERMS])
    return IndexQuery(
        action_id=turn.execution.action_id,
        session=turn.reading.session,
        agent=turn.reading.agent,
        preview=turn.reading.preview,
        kind=wanted.filters.kind,
        labels=wanted.filters.labels,
        excluded=excluded,
        terms=terms,
        vector=embedded.vector,
        size=ARM,
    )


def _checked(
    res: Resources, turn: Turn, wanted: Wanted, ranking: Ranking, fresh: dict[str, Record]
) -> tuple[Record, ...]:
    """The best records, each checked against the table; places of dead hits go to the next."""
    found: dict[str, Record] = {}
    order = [scored.id for scored in ranking.results]
    for chunk in _chunks(order, wanted.limit + SPARE):
        heads = fresh | _heads(res, turn, [one for one in chunk if one not in fresh])
        for memory_id in chunk:
            record = heads.get(memory_id)
            if record is not None and wanted.filters.keep(record):
                found.setdefault(record.memory_id, record)
        if len(found) >= wanted.limit:
            break
    return tuple(found.values())[: wanted.limit]


def _chunks(order: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for start in range(0, len(order), size):
        yield order[start : start + size]


def _heads(res: Resources, turn: Turn, memory_ids: Sequence[str]) -> dict[str, Record]:
    """Hits as the table has them now; a replaced one is answered by its successor."""
    stored = res.records.get(turn.execution.action_id, memory_ids)
    seen = {memory_id: turn.staged.apply(record) for memory_id, record in stored.items()}
    replaced = {memory_id: record for memory_id, record in seen.items() if record.replaced_by}
    while replaced:
        successors = _known(res, turn, [str(record.replaced_by) for record in replaced.values()])
        ahead = {one: successors[str(record.replaced_by)] for one, record in replaced.items()}
        seen |= ahead
        replaced = {one: record for one, record in ahead.items() if record.replaced_by and not record.active}
    return {memory_id: record for memory_id, record in seen.items() if turn.reading.finds(record)}


def _known(res: Resources, turn: Turn, memory_ids: Sequence[str]) -> dict[str, Record]:
    stored = res.records.get(turn.execution.action_id, memory_ids)
    return {one: turn.staged.apply(record) for one, record in stored.items()} | dict(turn.staged.added())
