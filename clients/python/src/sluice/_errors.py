"""What a call fails with. No error holds the API key, a token, or what was sent."""

from __future__ import annotations

from typing import Sequence

from .types import ErrorItem


class SluiceError(Exception):
    """The service refused. Tell refusals apart by `code`, never by the message."""

    status: int
    """HTTP status; 0 without a reply."""
    code: int
    """One of `ErrorCode`, or one that a newer service has; the status where something in between answered."""
    errors: Sequence[ErrorItem]
    """Which fields are at fault, and why."""
    request_id: str | None
    """The operator finds the request by it."""
    idempotency_key: str | None
    """Of a call that writes: calling again with it has the effect of this call, once."""
    retry_after: float | None
    """How many seconds the service asked to wait, where it did."""

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
    No whole reply came, as often as it was tried: whether the call had its effect is not known. Call
    again with `idempotency_key` to make sure of it. Status and code are 0.
    """

    attempts: int

    def __init__(self, message: str, *, attempts: int, idempotency_key: str | None) -> None:
        super().__init__(message, status=0, code=0, idempotency_key=idempotency_key)
        self.attempts = attempts


class SluiceTimeoutError(SluiceNetworkError, TimeoutError):
    """The `timeout` of the call ended before a whole reply came."""


class SluiceCancelledError(SluiceNetworkError):
    """The `Cancellation` of the call was used before a whole reply came."""
