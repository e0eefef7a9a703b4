"""The errors of calls. No error contains the API key, a token, or what was sent."""

from __future__ import annotations

from typing import Sequence

from .types import ErrorItem


class SluiceError(Exception):
    """The service refused the request. Distinguish refusals by `code`, never by the message."""

    status: int
    """HTTP status; 0 without a reply."""
    code: int
    """One of `ErrorCode`, or a code of a newer service; the HTTP status if a proxy answered."""
    errors: Sequence[ErrorItem]
    """The fields with errors, and why."""
    request_id: str | None
    """The operator can find the request in the log by this id."""
    idempotency_key: str | None
    """The key of a call that writes. A repeated call with this key takes effect once."""
    retry_after: float | None
    """How many seconds the service asked to wait, if it did."""

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: int,
        errors: Sequence[ErrorItem] = (),
        request_id: str | None = None,
        idempotency_key: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.errors = errors
        self.request_id = request_id
        self.idempotency_key = idempotency_key
        self.retry_after = retry_after


class SluiceNetworkError(SluiceError):
    """
    No complete reply arrived in any attempt, so it is unknown whether the call took effect. To make sure
    that it has, call again with `idempotency_key`. Status and code are 0.
    """

    attempts: int

    def __init__(self, message: str, *, attempts: int, idempotency_key: str | None) -> None:
        super().__init__(message, status=0, code=0, idempotency_key=idempotency_key)
        self.attempts = attempts


class SluiceTimeoutError(SluiceNetworkError, TimeoutError):
    """The `timeout` of the call ended before a complete reply arrived."""


class SluiceCancelledError(SluiceNetworkError):
    """The call was cancelled before a complete reply arrived."""
