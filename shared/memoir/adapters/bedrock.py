"""Embedding models of Amazon Bedrock: Titan Text Embeddings v2 and Cohere Embed, by model id (SPEC §14).

Neither model's cosines were measured here: ``floor`` and ``min_score`` are set low, so that nothing right is dropped;
``memory.search.min_score`` of an agent sets its own.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from memoir.domain.embedding import EmbedderProfile, Embedding
from memoir.domain.errors import EmbedderUnavailable
from memoir.domain.parts import tail
from memoir.domain.vectors import normalise
from memoir.ports import Gather

if TYPE_CHECKING:
    from mypy_boto3_bedrock_runtime import BedrockRuntimeClient

TITAN = "amazon.titan-embed-text-v2"
COHERE = "cohere.embed-"
COHERE_BATCH = 96
PART_BYTES = 1_500
"""Below the 512 tokens of Cohere's models in every script."""
_BAD_TEXT = "ValidationException"
_TOKENS = "x-amzn-bedrock-input-token-count"


def make_bedrock(model: str, gather: Gather) -> "Titan | Cohere":
    """The embedder of a model id, or of an inference profile such as ``eu.cohere.embed-v4:0``.

    Raises:
        ValueError: Its family is unknown.
    """
    if TITAN in model:
        return Titan(model, gather)
    if COHERE in model:
        return Cohere(model, gather)
    raise ValueError(f"MEMOIR_EMBEDDER names the Bedrock model {model!r}: use one of {TITAN}… or {COHERE}…")


class _BadText(Exception):
    """The model refuses this text."""


class _Bedrock:
    """One model, called through the container's client."""

    def __init__(self, model: str, gather: Gather) -> None:
        self._model = model
        self._gather = gather

    @cached_property
    def _client(self) -> "BedrockRuntimeClient":
        import boto3
        from botocore.config import Config

        config = Config(connect_timeout=2, read_timeout=10, retries={"mode": "standard", "total_max_attempts": 3})
        client: BedrockRuntimeClient = boto3.client("bedrock-runtime", config=config)
        return client

    def _invoke(self, body: dict[str, Any]) -> tuple[Any, int]:
        """The answer's JSON, and the tokens that its header counts."""
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            answer = self._client.invoke_model(modelId=self._model, body=json.dumps(body))
            found = json.loads(answer["body"].read())
        except ClientError as exc:
            if exc.response["Error"]["Code"] == _BAD_TEXT:
                raise _BadText from exc
            code = exc.response["Error"]["Code"]
            raise EmbedderUnavailable(f"Bedrock's model {self._model} did not answer: {code}") from exc
        except (BotoCoreError, ValueError) as exc:
            raise EmbedderUnavailable(f"Bedrock's model {self._model} cannot be reached") from exc
        return found, int(answer["ResponseMetadata"]["HTTPHeaders"].get(_TOKENS, 0))


class Titan(_Bedrock):
    """Titan Text Embeddings v2: one text a request, the same form for queries and records."""

    def __init__(self, model: str, gather: Gather) -> None:
        super().__init__(model, gather)
        self.profile = EmbedderProfile(model, dimensions=1024, floor=0.0, min_score=0.2, part_bytes=PART_BYTES)

    def embed_query(self, text: str) -> Embedding:
        """Embed what somebody searches for; the tail of a long text."""
        return _required(self._one(tail(text, PART_BYTES)), self._model)

    def embed_documents(self, texts: Sequence[str]) -> list[Embedding | None]:
        """Embed texts side by side."""
        return list(self._gather.each([partial(self._one, text) for text in texts]))

    def _one(self, text: str) -> Embedding | None:
        body = {"inputText": text or " ", "dimensions": self.profile.dimensions, "normalize": True}
        try:
            found, _ = self._invoke(body)
        except _BadText:
            return None
        with _as_promised(self._model):
            return _embedding(found["embedding"], int(found["inputTextTokenCount"]), self.profile)


class Cohere(_Bedrock):
    """Cohere Embed: up to 96 texts a request, with a form for queries and one for records."""

    def __init__(self, model: str, gather: Gather) -> None:
        super().__init__(model, gather)
        dimensions = 1536 if "embed-v4" in model else 1024
        self.profile = EmbedderProfile(model, dimensions, floor=0.0, min_score=0.2, part_bytes=PART_BYTES)

    def embed_query(self, text: str) -> Embedding:
        """Embed what somebody searches for; the tail of a long text."""
        return _required(self._several("search_query", [tail(text, PART_BYTES)])[0], self._model)

    def embed_documents(self, texts: Sequence[str]) -> list[Embedding | None]:
        """Embed texts in batches."""
        batches = [texts[start : start + COHERE_BATCH] for start in range(0, len(texts), COHERE_BATCH)]
        made = self._gather.each([partial(self._several, "search_document", batch) for batch in batches])
        return [one for several in made for one in several]

    def _several(self, form: str, texts: Sequence[str]) -> list[Embedding | None]:
        body = {
            "texts": [text or " " for text in texts],
            "input_type": form,
            "truncate": "NONE",
            "embedding_types": ["float"],
        }
        try:
            found, tokens = self._invoke(body)
        except _BadText:
            # NOTE: a refused batch says nothing of which text is bad: each is asked for on its own.
            if len(texts) == 1:
                return [None]
            return [self._several(form, [text])[0] for text in texts]
        with _as_promised(self._model):
            vectors = found["embeddings"]["float"]
            share = [tokens * len(text) // max(1, sum(map(len, texts))) for text in texts]
            return [_embedding(one, max(1, count), self.profile) for one, count in zip(vectors, share, strict=True)]


@contextmanager
def _as_promised(model: str) -> Iterator[None]:
    """Turn an answer of another shape into an embedder that does not answer."""
    try:
        yield
    except (KeyError, TypeError, ValueError) as exc:
        raise EmbedderUnavailable(f"Bedrock's model {model} answered something else than vectors") from exc


def _embedding(values: Sequence[float], tokens: int, profile: EmbedderProfile) -> Embedding:
    if len(values) != profile.dimensions:
        raise ValueError(f"{len(values)} dimensions")
    return Embedding(normalise([float(value) for value in values]), tokens)


def _required(made: Embedding | None, model: str) -> Embedding:
    if made is None:
        raise EmbedderUnavailable(f"Bedrock's model {model} refused the query")
    return made
