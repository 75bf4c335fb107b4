"""Reviews by any endpoint that speaks OpenAI's chat API, by its URL: Ollama, vLLM, hosted ones (SPEC §7)."""

import json
import time
from typing import Any

from botocore.awsrequest import AWSRequest
from botocore.exceptions import BotoCoreError, HTTPClientError
from botocore.httpsession import URLLib3Session

from memoir.domain.errors import ReviewFault
from memoir.ports import Answered, Ask

CONNECT_SECONDS = 3.0
MIN_SECONDS = 0.1
_PLAIN = frozenset({400, 422})
"""Statuses of an endpoint that does not offer structured output: it is asked once without."""


class OpenAIReview:
    """``ReviewModel`` over HTTP.

    Args:
        model: As the endpoint names it.
        url: The API's base, such as ``https://host/v1``; ``/chat/completions`` is added.
        key: Sent as a bearer token; empty: none is sent.
    """

    def __init__(self, model: str, url: str, key: str = "") -> None:
        self.name = model
        self._url = f"{url.rstrip('/')}/chat/completions"
        self._headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {key}"} if key else {})}
        self._structured = True

    def answer(self, ask: Ask, seconds: float) -> Answered:
        """Ask; with structured output where the endpoint offers it."""
        end = time.monotonic() + seconds
        messages = [{"role": "system", "content": ask.system}, {"role": "user", "content": ask.user}]
        body: dict[str, Any] = {"model": self.name, "messages": messages, "temperature": 0}
        if self._structured:
            shape = {"type": "json_schema", "json_schema": {"name": ask.step, "schema": ask.schema}}
            status, content = self._post({**body, "response_format": shape}, seconds)
            if status not in _PLAIN:
                return self._read(status, content)
            self._structured = False
        return self._read(*self._post(body, max(MIN_SECONDS, end - time.monotonic())))

    def _post(self, body: dict[str, Any], seconds: float) -> tuple[int, bytes]:
        timeout: Any = (min(CONNECT_SECONDS, seconds), seconds)
        request = AWSRequest("POST", self._url, headers=self._headers, data=json.dumps(body).encode())
        try:
            answer = URLLib3Session(timeout=timeout).send(request.prepare())
            return answer.status_code, bytes(answer.content)
        except (HTTPClientError, BotoCoreError) as exc:
            raise ReviewFault(f"the review model {self.name} did not answer ({type(exc).__name__})") from exc

    def _read(self, status: int, content: bytes) -> Answered:
        if status >= 300:
            raise ReviewFault(f"the review model {self.name} answered with status {status}")
        try:
            found = json.loads(content)
            usage = found.get("usage") or {}
            text = str(found["choices"][0]["message"]["content"])
            return Answered(text, int(usage.get("prompt_tokens", 0)), int(usage.get("completion_tokens", 0)))
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as exc:
            raise ReviewFault(f"the review model {self.name} answered something else than a chat completion") from exc
