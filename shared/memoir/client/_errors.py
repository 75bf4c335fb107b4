"""What a call through the client may raise: one root.

MemoirClientError
├── MemoirCallError       memoir refused the call: code, message, path
├── FunctionFailed        the function crashed or ran out of time (retriable)
├── FunctionUnreachable   Lambda did not run the function: throttled, no connection, not allowed
├── InvalidReply          what came back is no reply of this protocol
├── ToolCallFailed        a FAILED tool call, raised only by ``ToolResult.raise_for_status()``
└── LocalSystemMissing    there is no ``.memoir/local.json``: ``make up`` is not running
"""

from memoir.domain.errors import ErrorCode


class MemoirClientError(Exception):
    """Root of the client's errors; ``retriable`` says whether the same call may succeed later."""

    retriable: bool = False


class MemoirCallError(MemoirClientError):
    """Memoir answered with an error.

    Attributes:
        code: One of the closed set.
        message: A sentence a person or an agent can act on.
        path: The field at fault, as ``events[3].text``.
    """

    def __init__(self, code: ErrorCode, message: str, *, retriable: bool = False, path: str | None = None) -> None:
        super().__init__(f"{code.value}: {message}")
        self.code = code
        self.message = message
        self.retriable = retriable
        self.path = path


class FunctionFailed(MemoirClientError):
    """The function ended without an answer; whether it did its work is not known, so the call is repeated."""

    retriable = True


class FunctionUnreachable(MemoirClientError):
    """Lambda did not answer for the function; the cause is botocore's error."""

    def __init__(self, message: str, *, retriable: bool) -> None:
        super().__init__(message)
        self.retriable = retriable


class InvalidReply(MemoirClientError):
    """What came back cannot be read as a reply: client and function speak different versions."""


class ToolCallFailed(MemoirClientError):
    """A tool call failed; its message is what the agent reads."""


class LocalSystemMissing(MemoirClientError):
    """No local system is running."""
