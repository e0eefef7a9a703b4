"""
Whether a request is retried, and after how long: exponential backoff with full jitter, and never less
than Retry-After says. Failures are retried for a time, so that a restart of the service loses no call.
Only decides; waiting is the caller's.
"""

from __future__ import annotations

import random
import time
from email.utils import parsedate_to_datetime

from ._errors import SluiceError, SluiceNetworkError
from .codes import ErrorCode

BASE_SECONDS = 0.2
FAILURE_SECONDS_MAX = 10.0
TURN_SECONDS_MAX = 1.0
# As long as no reply has ever arrived, a wrong address is more likely than a restart of the service.
UNANSWERED_SECONDS_MAX = 5.0
# How many replies of "not yet" (429, or the same request in progress) are waited for; they are no failures.
TURNS_MAX = 100
# Statuses that are always retried; with 520 and higher, proxies report a service that they can't reach.
_FAILURES = frozenset((408, 500, 502, 503, 504))
_PROXY_FAILURE_MIN = 520


class RetryPolicy:
    """The retries of one call."""

    def __init__(self, retry_for: float) -> None:
        self._retry_for = retry_for
        self._failures = 0
        self._failing_since = 0.0
        self._turns = 0

    def delay_after(self, error: SluiceError, answered: bool) -> float | None:
        """
        Seconds until the next attempt; None if no further attempt is to be made. `answered` is whether a
        reply has ever arrived.
        """
        retry_after = error.retry_after or 0.0
        if self._retry_for == 0:
            return None
        if error.status == 429 or error.code == ErrorCode.IDEMPOTENCY_IN_FLIGHT:
            return self._after_turn(retry_after)
        return self._after_failure(retry_after, answered) if _is_failure(error) else None

    def _after_turn(self, retry_after: float) -> float | None:
        """The service answers again, so earlier failures no longer count."""
        self._turns += 1
        self._failures = 0
        if self._turns > TURNS_MAX or retry_after > self._retry_for:
            return None
        return retry_after + _backoff(self._turns, TURN_SECONDS_MAX)

    def _after_failure(self, retry_after: float, answered: bool) -> float | None:
        """Shortens the last delay, so that one attempt is made at the end of the time."""
        now = time.monotonic()
        if self._failures == 0:
            self._failing_since = now
        self._failures += 1
        retry_for = self._retry_for if answered else min(self._retry_for, UNANSWERED_SECONDS_MAX)
        left = self._failing_since + retry_for - now
        if left < 0.001 or retry_after > left:
            return None
        return min(left, retry_after + _backoff(self._failures, FAILURE_SECONDS_MAX))


def _is_failure(error: SluiceError) -> bool:
    is_network = isinstance(error, SluiceNetworkError)
    return is_network or error.status in _FAILURES or error.status >= _PROXY_FAILURE_MIN


def _backoff(nth: int, at_most: float) -> float:
    return random.uniform(0, min(at_most, BASE_SECONDS * 2.0 ** min(nth - 1, 20)))


def read_retry_after(text: str | None) -> float | None:
    """In seconds or as a date (RFC 9110, section 10.2.3)."""
    if text is None:
        return None
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None
