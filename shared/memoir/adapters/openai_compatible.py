"""Any endpoint that speaks OpenAI's embeddings API, by its URL (SPEC §14).

Its cosines are not known: ``floor`` and ``min_score`` are set low, so that nothing right is dropped.
"""

import json
import time
from collections.abc import Callable, Sequence
from typing import Any

from botocore.awsrequest import AWSRequest
from botocore.exceptions import BotoCoreError, HTTPClientError
from botocore.httpsession import URLLib3Session

from memoir.domain.embedding import EmbedderProfile, Embedding
from memoir.domain.errors import EmbedderUnavailable
from memoir.domain.parts import tail
from memoir.domain.vectors import normalise

BATCH = 64
PART_BYTES = 1_500
TRIES = 3
LONGEST_PAUSE = 2.0
CONNECT_SECONDS, READ_SECONDS = 2.0, 15.0
_REFUSED = frozenset({400, 413, 422})
_AGAIN = frozenset({408, 409, 425, 429})


class _BadText(Exception):
    """The endpoint refuses what was sent."""


class OpenAICompatible:
    """``Embedder`` over HTTP.

    Args:
        model: As the endpoint names it.
        url: The API's base, such as ``https://host/v1``; ``/embeddings`` is added.
        dimensions: Length of the model's vectors.
        key: Sent as a bearer token; empty: none is sent.
        pause: Waits between tries, in seconds.
        read_seconds: How long an answer may take.
    """

    def __init__(
        self,
        model: str,
        url: str,
        dimensions: int,
        key: str = "",
        *,
        pause: Callable[[float], None] = time.sleep,
        read_seconds: float = READ_SECONDS,
    ) -> None:
        self.profile = EmbedderProfile(model, dimensions, floor=0.0, min_score=0.2, part_bytes=PART_BYTES)
        self._url = f"{url.rstrip('/')}/embeddings"
        self._headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {key}"} if key else {})}
        self._pause = pause
        timeout: Any = (CONNECT_SECONDS, read_seconds)
        self._session = URLLib3Session(timeout=timeout, max_pool_connections=8)

    def embed_query(self, text: str) -> Embedding:
        """Embed what somebody searches for; the tail of a long text."""
        (made,) = self._several([tail(text, PART_BYTES)])
        if made is None:
            raise EmbedderUnavailable(f"the endpoint of {self.profile.model} refused the query")
        return made

    def embed_documents(self, texts: Sequence[str]) -> list[Embedding | None]:
        """Embed texts in batches."""
        batches = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
        return [one for batch in batches for one in self._several(batch)]

    def _several(self, texts: Sequence[str]) -> list[Embedding | None]:
        body = {"model": self.profile.model, "input": [text or " " for text in texts], "encoding_format": "float"}
        try:
            answer = self._post(json.dumps(body).encode())
        except _BadText:
            # NOTE: a refused batch says nothing of which text is bad: each is asked for on its own.
            return [None] if len(texts) == 1 else [self._several([text])[0] for text in texts]
        try:
            return self._read(answer, texts)
        except (KeyError, TypeError, ValueError) as exc:
            wanted = f"{self.profile.dimensions} numbers a text"
            raise EmbedderUnavailable(
                f"the endpoint of {self.profile.model} answered something else than {wanted}"
            ) from exc

    def _read(self, answer: bytes, texts: Sequence[str]) -> list[Embedding | None]:
        found = json.loads(answer)
        rows = sorted(found["data"], key=lambda row: int(row["index"]))
        tokens = int((found.get("usage") or {}).get("prompt_tokens", 0))
        whole = max(1, sum(map(len, texts)))
        made: list[Embedding | None] = []
        for row, text in zip(rows, texts, strict=True):
            values = [float(value) for value in row["embedding"]]
            if len(values) != self.profile.dimensions:
                raise ValueError(f"{len(values)} dimensions")
            made.append(Embedding(normalise(values), max(1, tokens * len(text) // whole)))
        return made

    def _post(self, data: bytes) -> bytes:
        """The answer's body; tries again what may get better, within a bound."""
        told = "cannot be reached"
        for tried in range(TRIES):
            if tried:
                self._pause(min(LONGEST_PAUSE, 0.2 * 2**tried))
            request = AWSRequest("POST", self._url, headers=self._headers, data=data)
            try:
                answer = self._session.send(request.prepare())
                status, content = answer.status_code, bytes(answer.content)
            except (HTTPClientError, BotoCoreError) as exc:
                told = f"cannot be reached ({type(exc).__name__})"
                continue
            if status in _REFUSED:
                raise _BadText
            if status < 300:
                return content
            told = f"answered with status {status}"
            if status < 500 and status not in _AGAIN:
                break
        raise EmbedderUnavailable(f"the endpoint of {self.profile.model} {told}")
