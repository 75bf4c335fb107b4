"""Reviews by a model of Amazon Bedrock: Converse, with a tool whose input is the structured answer (SPEC §7)."""

import json
import time
from typing import TYPE_CHECKING, Any

from memoir.domain.errors import ReviewFault
from memoir.ports import Answered, Ask

if TYPE_CHECKING:
    from mypy_boto3_bedrock_runtime import BedrockRuntimeClient

MAX_TOKENS = 8_192
TOOL = "answer"
MIN_SECONDS = 0.1


class BedrockReview:
    """``ReviewModel`` over Bedrock's Converse.

    Args:
        model: A model id or inference profile.
    """

    def __init__(self, model: str) -> None:
        self.name = model
        self._forced = True

    def answer(self, ask: Ask, seconds: float) -> Answered:
        """Ask, with the tool forced where the model takes that, else offered."""
        from botocore.exceptions import BotoCoreError, ClientError

        end = time.monotonic() + seconds
        try:
            if self._forced:
                try:
                    return self._read(self._converse(ask, seconds, {"tool": {"name": TOOL}}))
                except ClientError as exc:
                    if exc.response["Error"]["Code"] != "ValidationException":
                        raise
                    self._forced = False
            return self._read(self._converse(ask, max(MIN_SECONDS, end - time.monotonic()), {"auto": {}}))
        except ClientError as exc:
            code = exc.response["Error"]["Code"]
            raise ReviewFault(f"the review model {self.name} answered with {code}") from exc
        except BotoCoreError as exc:
            raise ReviewFault(f"the review model {self.name} did not answer ({type(exc).__name__})") from exc

    def _converse(self, ask: Ask, seconds: float, choice: dict[str, Any]) -> Any:
        tool: Any = {
            "toolSpec": {"name": TOOL, "description": "Give the answer.", "inputSchema": {"json": dict(ask.schema)}}
        }
        choosing: Any = choice
        return _client(seconds).converse(
            modelId=self.name,
            system=[{"text": ask.system}],
            messages=[{"role": "user", "content": [{"text": ask.user}]}],
            inferenceConfig={"maxTokens": MAX_TOKENS, "temperature": 0},
            toolConfig={"tools": [tool], "toolChoice": choosing},
        )

    def _read(self, answer: Any) -> Answered:
        try:
            blocks = answer["output"]["message"]["content"]
            inputs = [json.dumps(block["toolUse"]["input"]) for block in blocks if "toolUse" in block]
            text = inputs[0] if inputs else "\n".join(block["text"] for block in blocks if "text" in block)
            return Answered(text, int(answer["usage"]["inputTokens"]), int(answer["usage"]["outputTokens"]))
        except (KeyError, TypeError, ValueError) as exc:
            raise ReviewFault(f"the review model {self.name} answered something else than a message") from exc


def _client(seconds: float) -> "BedrockRuntimeClient":
    """A client whose read time-out is what is left of the review's time; retries would go beyond it."""
    import boto3
    from botocore.config import Config

    config = Config(connect_timeout=min(3, seconds), read_timeout=seconds, retries={"total_max_attempts": 1})
    client: BedrockRuntimeClient = boto3.client("bedrock-runtime", config=config)
    return client
