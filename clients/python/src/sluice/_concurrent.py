"""
Sends concurrent calls that each write one record as one list. Each call gets the answer that a separate
request would get (`verdicts=single`).

    nothing in flight     a call is sent at once, with those of the same tick
    a request in flight   calls wait until one is answered, at most 2 ms
    two in flight         calls wait until one is answered

Calls for one record take effect in their order: while one of them is in flight, the others wait. A call
that is cancelled before it is sent is never sent.
"""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import dataclass, replace
from typing import Any, Awaitable, Callable, Sequence, cast

from ._cancellation import Cancellation
from ._connection import Ask, Bounds, describe
from ._errors import SluiceError, SluiceNetworkError
from ._http import Reply
from ._upload import CAUSED_BY_RECORD
from .codes import ErrorCode
from .types import WriteResult

_STRICT_REFUSALS = frozenset(
    (
        ErrorCode.NO_SUCH_RECORD,
        ErrorCode.IDENTICAL_RECORD_EXISTS,
        ErrorCode.RECORD_EXISTS,
        ErrorCode.DELETION_OPEN,
    )
)
"""Codes that refuse a whole list only if the preference was not applied. Then nothing was written."""

CALLS_MAX = 1_000
# The maximum number of bytes in a list, because many proxies limit bodies to a megabyte.
BYTES_MAX = 1_000_000
REQUESTS_MAX = 2
WAIT_SECONDS = 0.002

Send = Callable[[Callable[[Cancellation], Ask]], Awaitable[Any]]


@dataclass(frozen=True)
class Call:
    method: str
    record_id: str
    body: bytes
    answer: asyncio.Future[WriteResult]
    idempotency_key: str | None = None
    """The key of a call whose list was refused as a whole. The call is then sent alone."""


class ConcurrentCalls:
    """The calls on the records of one type, in one event loop."""

    def __init__(self, send: Send, path: str, list_path: str) -> None:
        self._send = send
        self._path = path
        self._list_path = list_path
        self._waiting: list[Call] = []
        self._busy: set[str] = set()
        self._requests: set[asyncio.Task[None]] = set()
        self._next: asyncio.Handle | None = None
        self._is_soon = False
        self._is_unsupported = False

    async def call(self, method: str, record_id: str, body: bytes) -> WriteResult:
        call = Call(method, record_id, body, asyncio.get_running_loop().create_future())
        if self._is_unsupported:
            return await self._call_alone(call)
        self._waiting.append(call)
        if not self._requests:
            self._send_soon()
        elif self._next is None:
            self._next = asyncio.get_running_loop().call_later(WAIT_SECONDS, self._send_waiting)
        # Cancelling the task that waits cancels the answer.
        return await call.answer

    def _send_soon(self) -> None:
        """At the end of the tick."""
        if self._is_soon:
            return
        if self._next is not None:
            self._next.cancel()
        self._is_soon = True
        self._next = asyncio.get_running_loop().call_soon(self._send_waiting)

    def _send_waiting(self) -> None:
        self._next, self._is_soon = None, False
        while len(self._requests) < REQUESTS_MAX:
            calls = self._take()
            if not calls:
                return
            request = asyncio.get_running_loop().create_task(self._perform(calls))
            self._requests.add(request)
            _cancel_with(request, calls)

    def _take(self) -> Sequence[Call]:
        """The calls of the next request: the first that may be sent, and others for the same list."""
        taken: list[Call] = []
        left: list[Call] = []
        held: set[str] = set()
        size = 0
        seen = 0
        for call in self._waiting:
            is_full = len(taken) == CALLS_MAX or size + len(call.body) > BYTES_MAX
            if taken and is_full:
                break
            seen += 1
            if call.answer.done():
                continue
            is_free = call.record_id not in self._busy and call.record_id not in held
            if is_free and self._may_join(taken, call):
                taken.append(call)
                size += len(call.body)
            else:
                held.add(call.record_id)
                left.append(call)
        self._waiting = left + self._waiting[seen:]
        self._busy.update(call.record_id for call in taken)
        return taken

    def _may_join(self, taken: Sequence[Call], call: Call) -> bool:
        if not taken:
            return True
        is_alone = taken[0].idempotency_key is not None or call.idempotency_key is not None
        return not is_alone and not self._is_unsupported and taken[0].method == call.method

    async def _perform(self, calls: Sequence[Call]) -> None:
        try:
            if len(calls) > 1:
                await self._call_together(calls)
            else:
                _resolve(calls[0], await self._call_alone(calls[0]))
        except Exception as error:
            for call in calls:
                _refuse(call, error)
        finally:
            self._busy.difference_update(call.record_id for call in calls)
            task = asyncio.current_task()
            if task is not None:
                self._requests.discard(task)
            if self._waiting:
                self._send_soon()

    async def _call_alone(self, call: Call) -> WriteResult:
        ask = Ask(call.method, self._path, call.body, idempotency_key=call.idempotency_key)
        result = await self._send(lambda cancel: replace(ask, bounds=Bounds(cancel=cancel)))
        return cast(WriteResult, result)

    async def _call_together(self, calls: Sequence[Call]) -> None:
        """The item at index 3 of a list with the key K has the key K.3."""
        key = secrets.token_hex(16)
        replies: list[Reply] = []
        ask = Ask(
            calls[0].method,
            self._list_path,
            b"[" + b",".join(call.body for call in calls) + b"]",
            as_single=True,
            idempotency_key=key,
            on_reply=replies.append,
        )
        keyed = [replace(call, idempotency_key=f"{key}.{at}") for at, call in enumerate(calls)]
        try:
            reply = await self._send(lambda cancel: replace(ask, bounds=Bounds(cancel=cancel)))
        except SluiceError as error:
            is_strict = error.code in _STRICT_REFUSALS
            self._is_unsupported = self._is_unsupported or is_strict
            if is_strict or error.code in CAUSED_BY_RECORD:
                self._waiting[:0] = keyed
                return
            for call in keyed:
                _refuse(call, _with_key(error, call.idempotency_key))
            return
        results = reply.get("results", [])
        for at, call in enumerate(keyed):
            result = results[at] if at < len(results) else {}
            self._settle(call, result, reply["organization_id"], replies[-1].request_id)

    def _settle(
        self, call: Call, result: Any, organization_id: str, request_id: str | None
    ) -> None:
        message, code, errors = result.get("message"), result.get("code"), result.get("errors", [])
        if message is None:
            # Something between the client and the service removes the preference.
            self._is_unsupported = True
            what = "The reply has no result for this record: the Prefer header was not applied."
            error = SluiceNetworkError(what, attempts=1, idempotency_key=call.idempotency_key)
            _refuse(call, error)
        elif code is None:
            written: WriteResult = {
                "success": True,
                "write_count": 1,
                "message": message,
                "organization_id": organization_id,
            }
            _resolve(call, written)
        else:
            refusal = SluiceError(
                describe(message, errors),
                status=code // 100,
                code=code,
                errors=errors,
                request_id=request_id,
                idempotency_key=call.idempotency_key,
            )
            _refuse(call, refusal)


def _cancel_with(request: asyncio.Task[None], calls: Sequence[Call]) -> None:
    """Ends a request when every call of it was cancelled, so that nobody waits for it."""
    left = len(calls)

    def leave(answer: asyncio.Future[WriteResult]) -> None:
        nonlocal left
        left -= 1 if answer.cancelled() else 0
        if left == 0:
            request.cancel()

    for call in calls:
        call.answer.add_done_callback(leave)


def _resolve(call: Call, result: WriteResult) -> None:
    if not call.answer.done():
        call.answer.set_result(result)


def _refuse(call: Call, error: Exception) -> None:
    if not call.answer.done():
        call.answer.set_exception(error)


def _with_key(error: SluiceError, key: str | None) -> SluiceError:
    """Turns the error of a list into the error of one of its calls."""
    if isinstance(error, SluiceNetworkError):
        return SluiceNetworkError(str(error), attempts=error.attempts, idempotency_key=key)
    return SluiceError(
        str(error),
        status=error.status,
        code=error.code,
        errors=error.errors,
        request_id=error.request_id,
        idempotency_key=key,
        retry_after=error.retry_after,
    )
