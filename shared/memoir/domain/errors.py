"""The errors of memoir: one root, a code from a closed set on each class (SPEC §4).

MemoirError
├── BadRequest            BAD_REQUEST           the request itself is wrong: names field, limit, what to do
│   ├── InvalidConfig     INVALID_CONFIG        a harness that breaks a rule of §2, one message per fault
│   └── InvalidCursor     INVALID_CURSOR        a cursor that is malformed, or of another list
├── Unsupported           UNSUPPORTED           a feature that is not built yet
├── NotFound              NOT_FOUND             an agent, version, execution or session that is not there
├── IdReused              ID_REUSED             one id with two contents
├── TurnEnded             TURN_ENDED            a call after commit or roll-back
├── TurnAbandoned         TURN_ABANDONED        a call of an attempt that another one took over
├── SessionBusy           SESSION_BUSY          another turn of the session is open (retriable)
├── Conflict              CONFLICT              another turn changed the same record first
├── MissingAppend         MISSING_APPEND        a commit over a gap in the transcript (retriable)
├── LimitExceeded         LIMIT_EXCEEDED        a limit of §4, with its number
└── Unavailable           UNAVAILABLE           something memoir stands on does not answer (retriable)
    ├── EmbedderUnavailable
    └── IndexUnavailable
ReviewFault               a review without a plan that holds; the turn commits without its writes
ToolRefused               a tool call that fails with a message for the agent; an execution, not an error reply
"""

from enum import StrEnum


class ErrorCode(StrEnum):
    """The closed set of codes of an error reply."""

    BAD_REQUEST = "BAD_REQUEST"
    INVALID_CONFIG = "INVALID_CONFIG"
    INVALID_CURSOR = "INVALID_CURSOR"
    UNSUPPORTED = "UNSUPPORTED"
    NOT_FOUND = "NOT_FOUND"
    ID_REUSED = "ID_REUSED"
    TURN_ENDED = "TURN_ENDED"
    TURN_ABANDONED = "TURN_ABANDONED"
    SESSION_BUSY = "SESSION_BUSY"
    CONFLICT = "CONFLICT"
    MISSING_APPEND = "MISSING_APPEND"
    LIMIT_EXCEEDED = "LIMIT_EXCEEDED"
    UNAVAILABLE = "UNAVAILABLE"


class MemoirError(Exception):
    """Root of every error that memoir raises on purpose.

    Args:
        message: A sentence a person or an agent can act on.
        path: The field at fault, as ``events[3].text``.
    """

    code: ErrorCode = ErrorCode.BAD_REQUEST
    retriable: bool = False

    def __init__(self, message: str, *, path: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.path = path


class BadRequest(MemoirError):
    """The request breaks the protocol."""


class InvalidConfig(BadRequest):
    """A configuration breaks a rule of SPEC §2."""

    code = ErrorCode.INVALID_CONFIG


class InvalidCursor(BadRequest):
    """A cursor is malformed, edited, or of another list."""

    code = ErrorCode.INVALID_CURSOR


class Unsupported(MemoirError):
    """A field asks for what is not built yet."""

    code = ErrorCode.UNSUPPORTED


class NotFound(MemoirError):
    """The agent, version, execution or session is not there."""

    code = ErrorCode.NOT_FOUND


class IdReused(MemoirError):
    """An id came again with other content."""

    code = ErrorCode.ID_REUSED


class TurnEnded(MemoirError):
    """The turn was committed or rolled back before this call."""

    code = ErrorCode.TURN_ENDED


class TurnAbandoned(MemoirError):
    """A later invocation or another execution took this attempt's place."""

    code = ErrorCode.TURN_ABANDONED


class SessionBusy(MemoirError):
    """Another turn of the session is open."""

    code = ErrorCode.SESSION_BUSY
    retriable = True


class Conflict(MemoirError):
    """Another turn changed a record first."""

    code = ErrorCode.CONFLICT


class MissingAppend(MemoirError):
    """The transcript has a gap that a repeated append closes."""

    code = ErrorCode.MISSING_APPEND
    retriable = True


class LimitExceeded(MemoirError):
    """A limit of SPEC §4 is reached."""

    code = ErrorCode.LIMIT_EXCEEDED


class Unavailable(MemoirError):
    """A service that memoir stands on does not answer."""

    code = ErrorCode.UNAVAILABLE
    retriable = True


class EmbedderUnavailable(Unavailable):
    """The embedding model cannot be reached or does not answer."""


class IndexUnavailable(Unavailable):
    """The index cannot be reached, or does not answer as it should."""


class ReviewFault(Exception):
    """A review that failed: its model did not answer, or broke a rule; the turn commits without it (SPEC §7)."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class ToolRefused(Exception):
    """A tool call that is not allowed; the agent reads the message and nothing changes (SPEC §6)."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
