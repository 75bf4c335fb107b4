"""The real clock, and names from the operating system's randomness."""

import secrets
import time
from datetime import UTC, datetime

from uuid6 import uuid7

FIRST_PAUSE = 0.01
LONGEST_PAUSE = 0.4


class SystemClock:
    """``Clock`` of the machine."""

    def now(self) -> str:
        """Now as RFC 3339 UTC with milliseconds and ``Z``."""
        return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def pause(self, tried: int) -> None:
        """Sleep up to 10 ms · 2^tried, at most 0.4 s; the jitter keeps writers apart."""
        longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(tried, 10))
        time.sleep(longest * secrets.randbelow(1000) / 1000)


class RandomIds:
    """``NewId`` from ``os.urandom``, which stays fresh in a container restored from a snapshot."""

    def uuid7(self) -> str:
        """A new UUIDv7, canonical lower case."""
        return str(uuid7())

    def nonce(self) -> str:
        """A random text of 16 characters."""
        return secrets.token_urlsafe(12)
