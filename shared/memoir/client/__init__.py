"""The typed client that an agent runtime in Python uses: the turn protocol over boto3's Lambda client (SPEC §4).

    memoir = Memoir.local()
    with memoir.turn(action_id=agent, session_id="maya", principal="app:chat", message="Hello") as turn:
        block = turn.recall().block
        turn.reply("Hello, Maya.")

The turn commits when the block ends and rolls back when it raises. Every call carries ids made once, so a call whose
answer was lost is repeated safely, and is, until the retry policy gives up.
"""

from memoir.client._errors import (
    FunctionFailed,
    FunctionUnreachable,
    InvalidReply,
    LocalSystemMissing,
    MemoirCallError,
    MemoirClientError,
    ToolCallFailed,
)
from memoir.client._local import LocalFunction, lambda_config
from memoir.client._memoir import Memoir
from memoir.client._tools import ToolRecord, ToolResult
from memoir.client._transport import RetryPolicy
from memoir.client._turn import Turn
from memoir.domain.errors import ErrorCode
from memoir.domain.events import (
    AppendedEvent,
    ContextEvent,
    MessageEvent,
    ReplyEvent,
    TextEvent,
    ToolCall,
    ToolErrorEvent,
    ToolResultEvent,
)
from memoir.domain.turn import AttemptStatus
from memoir.protocol import Helper

__all__ = [
    "AppendedEvent",
    "AttemptStatus",
    "ContextEvent",
    "ErrorCode",
    "FunctionFailed",
    "FunctionUnreachable",
    "Helper",
    "InvalidReply",
    "LocalFunction",
    "LocalSystemMissing",
    "Memoir",
    "MemoirCallError",
    "MemoirClientError",
    "MessageEvent",
    "ReplyEvent",
    "RetryPolicy",
    "TextEvent",
    "ToolCall",
    "ToolCallFailed",
    "ToolErrorEvent",
    "ToolRecord",
    "ToolResult",
    "ToolResultEvent",
    "Turn",
    "lambda_config",
]
