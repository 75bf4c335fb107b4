"""Review models over real HTTP: Bedrock's Converse by boto3, and any OpenAI-compatible endpoint (SPEC §7)."""

import json
from collections.abc import Iterator

import pytest

from memoir.adapters.bedrock_review import BedrockReview
from memoir.adapters.openai_review import OpenAIReview
from memoir.adapters.review_models import load_prompts, make_review_model
from memoir.domain.config import MemoryConfig
from memoir.domain.errors import ReviewFault
from memoir.domain.plan import Candidates
from memoir.ports import Ask
from tests.integration.model_server import Answer, Asked, ModelServer, ok

CLAUDE = "anthropic.claude-sonnet-4-20250514-v1:0"
ASK = Ask("extract", "be brief", "MAYA DRINKS TEA", Candidates.model_json_schema(), MemoryConfig())


def found(text: str) -> str:
    return json.dumps({"candidates": [{"summary": text.lower(), "kind": "fact"}]})


def converse(asked: Asked) -> Answer:
    """Bedrock's answer with a tool's input, made from the message."""
    text = asked.body["messages"][0]["content"][0]["text"]
    block = {"toolUse": {"toolUseId": "t", "name": "answer", "input": json.loads(found(text))}}
    message = {"role": "assistant", "content": [{"text": "Let me see."}, block]}
    usage = {"inputTokens": len(text), "outputTokens": 7, "totalTokens": len(text) + 7}
    return ok({"output": {"message": message}, "stopReason": "tool_use", "usage": usage, "metrics": {"latencyMs": 1}})


def chat(asked: Asked) -> Answer:
    """A chat completion made from the message."""
    text = asked.body["messages"][1]["content"]
    usage = {"prompt_tokens": len(text), "completion_tokens": 7}
    return ok({"choices": [{"message": {"content": found(text)}}], "usage": usage})


@pytest.fixture
def server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    running = ModelServer(converse if "bedrock" in request.node.name else chat)
    monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", running.url)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "any")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    yield running
    running.stop()


def test_bedrock_answers_by_the_input_of_a_forced_tool(server: ModelServer) -> None:
    answered = BedrockReview(CLAUDE).answer(ASK, 5)
    assert json.loads(answered.text)["candidates"][0]["summary"] == "maya drinks tea"
    assert (answered.input_tokens, answered.output_tokens) == (15, 7)
    (asked,) = server.asked
    assert asked.path.endswith("/converse")
    assert asked.body["system"] == [{"text": "be brief"}]
    assert asked.body["toolConfig"]["toolChoice"] == {"tool": {"name": "answer"}}
    schema = asked.body["toolConfig"]["tools"][0]["toolSpec"]["inputSchema"]["json"]
    assert schema == Candidates.model_json_schema()


def test_bedrock_models_that_take_no_forced_tool_are_offered_it_and_may_answer_in_text(server: ModelServer) -> None:
    model = BedrockReview("amazon.titan-x")
    server.next = [lambda _: Answer(400, b'{"message": "no"}', {"x-amzn-ErrorType": "ValidationException"})]
    assert "maya" in model.answer(ASK, 5).text
    assert server.asked[1].body["toolConfig"]["toolChoice"] == {"auto": {}}
    plain = {"output": {"message": {"role": "assistant", "content": [{"text": "[]"}]}}, "stopReason": "end_turn"}
    server.next = [lambda _: ok({**plain, "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}})]
    assert model.answer(ASK, 5).text == "[]"
    assert len(server.asked) == 3


@pytest.mark.parametrize("code", ["ThrottlingException", "InternalServerException", "AccessDeniedException"])
def test_bedrock_errors_are_faults_with_their_code(server: ModelServer, code: str) -> None:
    server.behaviour = lambda _: Answer(429, b'{"message": "no"}', {"x-amzn-ErrorType": code})
    with pytest.raises(ReviewFault, match=code):
        BedrockReview(CLAUDE).answer(ASK, 5)
    assert len(server.asked) == 1


def test_bedrock_that_never_answers_is_left_at_the_reviews_time(server: ModelServer) -> None:
    server.behaviour = lambda asked: Answer(200, converse(asked).body, delay=2.0)
    with pytest.raises(ReviewFault, match="did not answer"):
        BedrockReview(CLAUDE).answer(ASK, 0.4)


def test_openai_answers_with_structured_output_and_its_key(server: ModelServer) -> None:
    model = make_review_model(f"openai:judge@{server.url}/v1", "secret")
    answered = model.answer(ASK, 5)
    assert json.loads(answered.text)["candidates"][0]["summary"] == "maya drinks tea"
    assert (answered.input_tokens, answered.output_tokens) == (15, 7)
    (asked,) = server.asked
    assert (asked.path, asked.headers["Authorization"]) == ("/v1/chat/completions", "Bearer secret")
    assert asked.body["model"] == "judge"
    assert asked.body["response_format"]["json_schema"]["schema"] == Candidates.model_json_schema()


def test_openai_endpoints_without_structured_output_are_asked_plainly_from_then_on(server: ModelServer) -> None:
    model = OpenAIReview("judge", server.url)
    server.next = [lambda _: Answer(400, b"{}")]
    for _ in range(2):
        assert "maya" in model.answer(ASK, 5).text
    assert ["response_format" in asked.body for asked in server.asked] == [True, False, False]


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (Answer(429, b"{}"), "status 429"),
        (Answer(500, b"oops"), "status 500"),
        (Answer(200, b'{"choices": []}'), "something else"),
        (Answer(200, b"{"), "something else"),
        (Answer(200, b"{}", delay=2.0), "did not answer"),
    ],
)
def test_openai_faults_say_what_happened(server: ModelServer, answer: Answer, told: str) -> None:
    server.behaviour = lambda _: answer
    with pytest.raises(ReviewFault, match=told):
        OpenAIReview("judge", server.url).answer(ASK, 0.5)


def test_an_unknown_review_model_names_the_setting_and_the_choices() -> None:
    with pytest.raises(ValueError, match=r"MEMOIR_REVIEW_MODEL.*builtin"):
        make_review_model("gpt")


def test_prompts_are_files_and_a_folder_replaces_those_that_it_has(tmp_path: object) -> None:
    ours = load_prompts()
    assert "JSON" in ours.extract
    assert "data" in ours.rules
    from pathlib import Path

    folder = Path(str(tmp_path))
    (folder / "keep.md").write_text("Keep shoe sizes.\n")
    theirs = load_prompts(str(folder))
    assert (theirs.keep, theirs.rules) == ("Keep shoe sizes.", ours.rules)
