"""Sends every request of the client, with retries; all attempts of a call have the same Idempotency-Key."""

from __future__ import annotations

import itertools
import secrets
import sys
import time
from dataclasses import dataclass
from typing import Any, Callable

from ._cancellation import Cancellation
from ._errors import SluiceCancelledError, SluiceError, SluiceNetworkError, SluiceTimeoutError
from ._http import AttemptError, Reply, Request, Transport
from ._json import parse_json
from ._options import Secret, Settings, read_timeout
from ._retry import RetryPolicy, read_retry_after
from ._version import __version__
from .types import ErrorItem

_USER_AGENT = f"sluice-python/{__version__} Python/{sys.version_info[0]}.{sys.version_info[1]}"
_SHOWN_MAX = 3
_NOT_JSON = object()


@dataclass(frozen=True)
class Bounds:
    """What can end a call early."""

    deadline: float | None = None
    """By `time.monotonic`, for all attempts and waits."""
    cancel: Cancellation | None = None


def bounds(timeout: float | None, cancel: Cancellation | None) -> Bounds:
    deadline = None if timeout is None else time.monotonic() + read_timeout(timeout)
    return Bounds(deadline, cancel)


@dataclass(frozen=True)
class Ask:
    """A request to the service."""

    method: str
    path: str
    body: bytes | None = None
    is_form: bool = False
    """The body is a form, not JSON."""
    is_lenient: bool = False
    as_single: bool = False
    """Lenient; each item gets the result that a separate request would get."""
    idempotency_key: str | None = None
    bounds: Bounds = Bounds()
    wait_seconds: float = 0.0
    """How long the service may wait before it answers (long poll)."""
    on_reply: Callable[[Reply], None] | None = None
    """Called with a successful reply."""


class Connection:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._transport = Transport(settings.base_url, settings.ssl_context)
        self._name = secrets.token_hex(16)
        self._answered = False
        """Whether a reply that can be read has ever arrived."""
        # Counting is atomic.
        self._calls = itertools.count(1)

    def close(self) -> None:
        self._transport.close()

    def request(self, ask: Ask, authorization: Secret | None, prefix: str = "") -> Any:
        """The object of the reply, or the list of a page. Raises SluiceError."""
        call = f"{self._name}.{next(self._calls)}"
        header = None if authorization is None else prefix + authorization.reveal()
        policy = RetryPolicy(self._settings.retry_for)
        for number in itertools.count(1):
            try:
                return self._attempt(ask, header, call, number)
            except SluiceError as error:
                delay = policy.delay_after(error, self._answered)
                if delay is None:
                    raise
            self._wait(ask, delay, number)
        raise AssertionError

    def _attempt(self, ask: Ask, authorization: str | None, call: str, number: int) -> Any:
        require_open(ask, number)
        request = Request(
            ask.method, ask.path, _headers_of(ask, authorization, f"{call}.{number}"), ask.body
        )
        attempt_deadline = time.monotonic() + self._settings.timeout + ask.wait_seconds
        deadline = ask.bounds.deadline
        try:
            reply = self._transport.send(
                request,
                attempt_deadline if deadline is None else min(deadline, attempt_deadline),
                ask.bounds.cancel,
            )
        except AttemptError as error:
            require_open(ask, number)
            raise _broken(ask, number, str(error)) from None
        # If a reply was sent twice, the second one would be taken for the reply to the next request. A
        # proxy may replace the request id with its own.
        received = reply.request_id or ""
        if received.startswith(f"{self._name}.") and not received.startswith(f"{call}."):
            raise _broken(ask, number, "the reply belongs to another request")
        answer = _read(ask, number, reply)
        self._answered = True
        if isinstance(answer, SluiceError):
            raise answer
        if ask.on_reply is not None:
            ask.on_reply(reply)
        return answer

    def _wait(self, ask: Ask, delay: float, number: int) -> None:
        pause(delay, ask.bounds)
        require_open(ask, number)


def pause(seconds: float, within: Bounds) -> None:
    """Ends early if the call has to end."""
    if within.deadline is not None:
        seconds = min(seconds, max(0.0, within.deadline - time.monotonic()))
    if within.cancel is None:
        time.sleep(seconds)
    else:
        within.cancel.wait(seconds)


def require_open(ask: Ask, number: int) -> None:
    """Raises if the time of the call is over, or if it was cancelled."""
    attempts, key = number, ask.idempotency_key
    if ask.bounds.cancel is not None and ask.bounds.cancel.is_cancelled:
        message = f"The call was cancelled ({_where(ask, number)})."
        raise SluiceCancelledError(message, attempts=attempts, idempotency_key=key)
    if ask.bounds.deadline is not None and time.monotonic() >= ask.bounds.deadline:
        message = f"The call did not end within its timeout ({_where(ask, number)})."
        raise SluiceTimeoutError(message, attempts=attempts, idempotency_key=key)


def _headers_of(ask: Ask, authorization: str | None, request_id: str) -> dict[str, str]:
    headers = {
        "Accept": "application/json",
        "User-Agent": _USER_AGENT,
        "X-Request-Id": request_id,
    }
    if authorization is not None:
        headers["Authorization"] = authorization
    if ask.body is not None:
        kind = "x-www-form-urlencoded" if ask.is_form else "json"
        headers["Content-Type"] = f"application/{kind}"
    if ask.is_lenient:
        headers["Prefer"] = "handling=lenient"
    if ask.as_single:
        headers["Prefer"] = "handling=lenient, verdicts=single"
    if ask.idempotency_key is not None:
        headers["Idempotency-Key"] = ask.idempotency_key
    return headers


def _read(ask: Ask, number: int, reply: Reply) -> Any:
    """
    The body, or the error of a refusal. A reply that is declared as JSON but is none, or is a success without what the
    call returns, was truncated, or is that of another server.
    """
    is_good = 200 <= reply.status < 300
    body = [] if reply.status == 204 else parse_json(reply.body, otherwise=_NOT_JSON)
    if is_good and _is_success(ask, body):
        return body
    if is_good or (reply.is_json and body is _NOT_JSON):
        raise _broken(ask, number, "the reply was truncated, or is not from Sluice")
    return _refusal(ask, reply, body if isinstance(body, dict) else {})


def _is_success(ask: Ask, body: Any) -> bool:
    """Whether it is a list for a page of changes, or has a field that every success of the call has."""
    if ask.path.startswith("/v2/changes?"):
        return isinstance(body, list)
    if ask.path == "/auth/token":
        field = "token"
    elif ask.path.startswith("/v2/deletion_request"):
        field = "deletion_request_id"
    else:
        field = "first_seen" if ask.method == "GET" else "write_count"
    return isinstance(body, dict) and field in body


def _is_ours(body: dict[str, Any]) -> bool:
    """Whether the service itself refused the request, and not a proxy with JSON of its own."""
    code, message, errors = body.get("code"), body.get("message"), body.get("errors")
    is_told = type(code) is int and code != 0 and isinstance(message, str) and message != ""
    is_list = isinstance(errors, list) and all(isinstance(item, dict) for item in errors)
    return is_told and (errors is None or is_list)


def _refusal(ask: Ask, reply: Reply, body: dict[str, Any]) -> SluiceError:
    if not _is_ours(body):
        body = {"code": reply.status, "message": _describe_unknown(reply.status)}
    code, message = body["code"], body["message"]
    errors: list[ErrorItem] = body.get("errors") or []
    return SluiceError(
        describe(message, errors),
        status=reply.status,
        code=code,
        errors=errors,
        request_id=reply.request_id,
        idempotency_key=ask.idempotency_key,
        retry_after=read_retry_after(reply.retry_after),
    )


def describe(message: str, errors: list[ErrorItem]) -> str:
    """The message, and the first fields with errors if they say more than the message."""
    telling = [error for error in errors if error.get("message") not in (None, message)]
    shown = [
        f"{error.get('field', '')} {error.get('message', '')}".strip()
        for error in telling[:_SHOWN_MAX]
    ]
    if len(telling) > _SHOWN_MAX:
        shown.append(f"and {len(telling) - _SHOWN_MAX} more")
    return f"{message} {'; '.join(shown)}".strip()


def _describe_unknown(status: int) -> str:
    if 300 <= status < 400:
        return (
            "The reply is a redirect, which is not followed; set base_url to the address that it leads to."
        )
    return (
        f"Something other than Sluice answered with status {status}; "
        "check base_url and any proxy in between."
    )


def _where(ask: Ask, number: int) -> str:
    tried = "" if number == 1 else f", tried {number} times"
    return f"{ask.method} {ask.path.partition('?')[0]}{tried}"


def _broken(ask: Ask, number: int, why: str) -> SluiceNetworkError:
    message = f"No complete reply arrived ({_where(ask, number)}): {why}."
    return SluiceNetworkError(message, attempts=number, idempotency_key=ask.idempotency_key)
