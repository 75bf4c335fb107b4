"""``SearchIndex`` on a real OpenSearch: what it takes, what it finds, and what it refuses (SPEC §5)."""

import json
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from memoir.adapters.opensearch.http import Http
from memoir.adapters.opensearch.index import OpenSearchIndex
from memoir.domain.embedding import EmbedderProfile, Vector
from memoir.domain.errors import IndexUnavailable
from memoir.domain.ranking import Statistics
from memoir.domain.record import Record, RecordVector, Scope
from memoir.domain.tokens import Query
from memoir.domain.vectors import normalise
from memoir.ports import IndexAnswer, IndexQuery
from tests.builders import record as build_record
from tests.integration.conftest import DIMENSIONS

AGENT = str(uuid.uuid4())
CREATED = "2026-12-01T09:00:00.000Z"


def near(place: int, *, slightly: float = 0.0) -> Vector:
    """A vector in one direction, a little off."""
    return normalise([1.0 if n == place else slightly for n in range(DIMENSIONS)])


def record(profile: EmbedderProfile, summary: str, vector: Vector | None = None, **changed: object) -> Record:
    """A record of its own, whatever its summary."""
    given = {"action_id": AGENT, "memory_id": str(uuid.uuid4()), "created": CREATED, **changed}
    return build_record(summary, vector=RecordVector(profile.model, vector) if vector else None, **given)


def asked(text: str = "", vector: Vector | None = None, **changed: object) -> IndexQuery:
    query = IndexQuery(AGENT, "s", True, None, (), (), Query.of(text).terms, vector, 100)
    return replace(query, **changed)  # type: ignore[arg-type]


def ids(answer: IndexAnswer) -> set[str]:
    return {one.id for one in answer.candidates}


def test_an_index_is_created_once_and_tells_its_size(index: OpenSearchIndex, profile: EmbedderProfile) -> None:
    index.ensure()
    assert (index.describe().exists, index.describe().documents) == (True, 0)
    index.write([record(profile, "tea")])
    assert index.describe().documents == 1


def test_several_that_create_it_at_once_all_find_it_ready(opensearch: str, profile: EmbedderProfile) -> None:
    several = [OpenSearchIndex(Http(opensearch, read_seconds=30), profile) for _ in range(6)]

    def ready(one: OpenSearchIndex) -> int:
        one.ensure()
        return one.describe().documents

    with ThreadPoolExecutor(6) as threads:
        assert list(threads.map(ready, several)) == [0] * 6


def test_a_field_that_the_mapping_does_not_know_is_refused(opensearch: str, index: OpenSearchIndex) -> None:
    with pytest.raises(IndexUnavailable, match="400"):
        Http(opensearch).write("POST", f"/{index.name}/_doc?routing=x", json.dumps({"surprise": 1}))


def test_words_and_meaning_each_find_and_bring_tokens_and_vector(
    index: OpenSearchIndex, profile: EmbedderProfile
) -> None:
    by_word, by_meaning = record(profile, "green tea", near(0)), record(profile, "espresso", near(1))
    index.write([by_word, by_meaning])
    answer = index.search(asked("tea"))
    assert ids(answer) == {by_word.memory_id}
    (found,) = answer.candidates
    assert (found.tokens, found.created) == (by_word.tokens, CREATED)
    assert found.vector == pytest.approx(near(0))
    closest = index.search(asked("tea", near(1), size=1))
    assert ids(closest) == {by_word.memory_id, by_meaning.memory_id}


def test_a_written_record_is_found_by_the_next_search(index: OpenSearchIndex, profile: EmbedderProfile) -> None:
    for number in range(5):
        made = record(profile, f"note{number}")
        index.write([made])
        assert ids(index.search(asked(f"note{number}"))) == {made.memory_id}


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("她喜欢喝绿茶", "绿茶"),
        ("彼女は緑茶を飲みます", "緑茶"),
        ("그녀는 녹차를 마신다", "녹차"),
        ("เธอชอบดื่มชาเขียว", "ชาเขียว"),
        ("هي تشرب الشاي الأخضر", "الشَّاي"),
        ("वह हरी चाय पीती है", "चाय"),
        ("Она пьёт зелёный чай", "чая"),
        ("invoice ZX-99417-QP is due", "zx-99417-qp"),
        ("write to maya.o'neil@example.com", "maya.o'neil@example.com"),
    ],
)
def test_words_are_found_in_every_script(
    index: OpenSearchIndex, profile: EmbedderProfile, text: str, query: str
) -> None:
    made = record(profile, text)
    index.write([made, record(profile, "something else")])
    assert ids(index.search(asked(query))) == {made.memory_id}


def test_w5_an_older_state_that_arrives_late_never_wins(index: OpenSearchIndex, profile: EmbedderProfile) -> None:
    alive = record(profile, "tea", near(0))
    dead = alive.deleted(CREATED, "user:maria")
    index.write([dead])
    index.write([alive])
    index.write([replace(alive, vector=None)])
    assert ids(index.search(asked("tea", near(0)))) == set()
    assert index.describe().documents == 1


def test_a_late_write_without_the_vector_does_not_take_it_away(
    index: OpenSearchIndex, profile: EmbedderProfile
) -> None:
    made = record(profile, "tea")
    index.write([made])
    with_vector = replace(made, vector=RecordVector(profile.model, near(0)))
    index.write([with_vector])
    index.write([made])
    assert ids(index.search(asked("", near(0)))) == {made.memory_id}


def test_a_vector_of_another_model_is_not_indexed(index: OpenSearchIndex, profile: EmbedderProfile) -> None:
    index.write([replace(record(profile, "tea"), vector=RecordVector("another", near(0)))])
    assert ids(index.search(asked("", near(0)))) == set()
    assert len(index.search(asked("tea")).candidates) == 1


def test_kind_and_labels_filter_inside_both_arms(index: OpenSearchIndex, profile: EmbedderProfile) -> None:
    crowd = [record(profile, "tea tea tea", near(0)) for _ in range(150)]
    few = [
        record(profile, "tea", near(0, slightly=0.3), kind="event", labels=((5, "C-1"), (6, "T-1"))) for _ in range(3)
    ]
    other = record(profile, "tea", near(0), kind="event", labels=((5, "C-1"), (6, "T-2")))
    index.write([*crowd, *few, other])
    wanted = {one.memory_id for one in few}
    assert ids(index.search(asked("tea", near(0), kind="event", labels=((6, "T-1"),)))) == wanted
    assert ids(index.search(asked("", near(0), labels=((5, "C-1"), (6, "T-1"))))) == wanted
    assert ids(index.search(asked("tea", kind="event"))) == wanted | {other.memory_id}
    assert ids(index.search(asked("tea", near(0), labels=((5, "C-"),)))) == set()


def test_scopes_sessions_and_agents_keep_apart(index: OpenSearchIndex, profile: EmbedderProfile) -> None:
    agents = record(profile, "tea", near(0))
    mine = record(profile, "tea", near(0), scope=Scope.SESSION)
    star = record(profile, "tea", near(0), scope=Scope.SESSION, session_id="*")
    foreign = record(profile, "tea", near(0), action_id=str(uuid.uuid4()))
    preview = record(profile, "tea", near(0), preview=True)
    index.write([agents, mine, star, foreign, preview])
    assert ids(index.search(asked("tea", near(0)))) == {agents.memory_id, mine.memory_id}
    assert ids(index.search(asked("tea", near(0), session=None))) == {agents.memory_id}
    assert ids(index.search(asked("tea", near(0), agent=False))) == {mine.memory_id}
    assert ids(index.search(asked("tea", near(0), agent=False, session="*"))) == {star.memory_id}


def test_counts_are_of_all_that_the_search_may_see_and_of_nothing_else(
    index: OpenSearchIndex, profile: EmbedderProfile
) -> None:
    texts = ["green tea", "black tea", "espresso", "tea with tea"]
    seen = [record(profile, text, near(0)) for text in texts]
    excluded = record(profile, "tea", near(0))
    dead = record(profile, "tea", near(0)).deleted(CREATED, "user:maria")
    hidden = record(profile, "tea", near(0), scope=Scope.SESSION, session_id="another")
    index.write([*seen, excluded, dead, hidden])
    query = asked("tea espresso nothing", near(0), excluded=(excluded.memory_id,), kind="event")
    assert index.search(query).statistics == Statistics.of(query.terms, [one.tokens for one in seen])


def test_s12_an_agent_with_few_records_gets_them_beside_one_with_thousands(
    index: OpenSearchIndex, profile: EmbedderProfile
) -> None:
    crowd = str(uuid.uuid4())
    index.write([record(profile, "tea", near(0), action_id=crowd) for _ in range(2_700)])
    mine = [record(profile, "tea", near(0, slightly=0.5)) for _ in range(8)]
    index.write(mine)
    assert ids(index.search(asked("", near(0), size=5))) <= {one.memory_id for one in mine}
    assert len(ids(index.search(asked("", near(0), size=5)))) == 5
    assert ids(index.search(asked("tea", near(0)))) == {one.memory_id for one in mine}


def test_an_index_that_is_not_there_is_unavailable_and_never_empty(opensearch: str, profile: EmbedderProfile) -> None:
    missing = OpenSearchIndex(Http(opensearch), profile)
    assert missing.describe().exists is False
    with pytest.raises(IndexUnavailable):
        missing.search(asked("tea"))


def test_a_query_of_any_text_is_data(index: OpenSearchIndex, profile: EmbedderProfile) -> None:
    index.write([record(profile, "tea")])
    for text in ('"', "AND OR NOT", "tea*", "te?", "*", "(tea", "tea)~2^3", "a:b", "\\", "x" * 50_000, "[1 TO 2]"):
        index.search(asked(text))
    assert ids(index.search(asked("te?"))) == set()
