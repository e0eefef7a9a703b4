"""
The collections for asyncio: the calls of the synchronous client, each in a thread of the client's pool.
A task that is cancelled ends its call at once, waits and connection included.
"""

from __future__ import annotations

import asyncio
import contextlib
from concurrent.futures import Executor
from typing import (
    Any,
    AsyncIterable,
    AsyncIterator,
    Callable,
    Generic,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    TypeVar,
)
from weakref import WeakKeyDictionary

from ._cancellation import Cancellation
from ._collection import (
    Accepted,
    Collection,
    DeletableCollection,
    Existence,
    Item,
    RecordPaths,
    Update,
)
from ._concurrent import ConcurrentCalls
from ._connection import Ask
from ._json import to_json
from ._session import Session
from ._upload import Refusal, Tally, Upload
from .types import DeletionBasis, WriteResult

Result = TypeVar("Result")
Record = TypeVar("Record")


class AsyncSession:
    """A session, and the threads in which its calls run."""

    def __init__(self, session: Session, threads: Executor, batching: bool) -> None:
        self.session = session
        self.threads = threads
        self.batching = batching

    async def run(self, work: Callable[[Cancellation], Result]) -> Result:
        cancel = Cancellation()
        loop = asyncio.get_running_loop()
        future = loop.run_in_executor(self.threads, work, cancel)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            cancel.cancel()
            # The call ends with an error that nobody waits for.
            future.add_done_callback(lambda done: None if done.cancelled() else done.exception())
            raise


class AsyncUpload(Generic[Record]):
    """
    Iterate it to send the records; it yields the refusals. After a failure, it is unknown whether records
    from `tally.received` on were written.
    """

    def __init__(
        self,
        session: AsyncSession,
        start: Callable[[Iterable[Record], Cancellation], Upload[Record]],
        source: AsyncIterable[Record] | Iterable[Record],
    ) -> None:
        self._session = session
        self._start = start
        self._source = source
        self._refusals = self._run()
        # Raises here if batch_size is wrong.
        self.tally: Tally = start((), Cancellation()).tally

    def __aiter__(self) -> AsyncIterator[Refusal[Record]]:
        return self._refusals

    async def _run(self) -> AsyncIterator[Refusal[Record]]:
        loop = asyncio.get_running_loop()
        cancel = Cancellation()
        source = self._source
        upload = self._start(
            _in_thread(source, loop, cancel) if isinstance(source, AsyncIterable) else source,
            cancel,
        )
        upload.tally = self.tally
        refusals = iter(upload)
        try:
            while True:
                batch = await self._session.run(lambda inner: _some(refusals, cancel, inner))
                if not batch:
                    return
                for refusal in batch:
                    yield refusal
        finally:
            cancel.cancel()


def _some(
    refusals: Iterator[Refusal[Record]], cancel: Cancellation, inner: Cancellation
) -> Sequence[Refusal[Record]]:
    """The next refusal; none at the end."""
    inner.attach(cancel.cancel)
    for refusal in refusals:
        return [refusal]
    return []


def _in_thread(
    source: AsyncIterable[Record], loop: asyncio.AbstractEventLoop, cancel: Cancellation
) -> Iterator[Record]:
    """Reads an asynchronous source from a thread, only as far as requested."""
    iterator = source.__aiter__()
    while True:
        future = asyncio.run_coroutine_threadsafe(_next(iterator), loop)

        def stop(pending: Any = future) -> None:
            pending.cancel()

        cancel.attach(stop)
        try:
            is_end, record = future.result()
        finally:
            cancel.detach(stop)
        if is_end:
            return
        yield record


async def _next(iterator: AsyncIterator[Record]) -> tuple[bool, Any]:
    with contextlib.suppress(StopAsyncIteration):
        return False, await iterator.__anext__()
    return True, None


class AsyncCollection(Generic[Item, Update, Existence]):
    """Like Collection; bound the time of a call with `asyncio.timeout` or `asyncio.wait_for`."""

    def __init__(self, session: AsyncSession, paths: RecordPaths) -> None:
        self._session = session
        self._paths = paths
        self._collection: Collection[Item, Update, Existence] = Collection(session.session, paths)
        self._calls: WeakKeyDictionary[asyncio.AbstractEventLoop, ConcurrentCalls] = (
            WeakKeyDictionary()
        )

    async def add(
        self, records: Item | Sequence[Item], *, idempotency_key: str | None = None
    ) -> WriteResult:
        """Adds a record, or a list of up to 10,000, which is written completely or not at all."""
        if self._session.batching and isinstance(records, Mapping) and idempotency_key is None:
            return await self._call("POST", records)
        return await self._session.run(
            lambda cancel: self._collection.add(
                records, idempotency_key=idempotency_key, cancel=cancel
            )
        )

    async def update(
        self, updates: Update | Sequence[Update], *, idempotency_key: str | None = None
    ) -> WriteResult:
        """Updates an existing record, or a list. None clears a field; others don't change."""
        if self._session.batching and isinstance(updates, Mapping) and idempotency_key is None:
            return await self._call("PUT", updates)
        return await self._session.run(
            lambda cancel: self._collection.update(
                updates, idempotency_key=idempotency_key, cancel=cancel
            )
        )

    async def exists(self, id: str) -> Existence | None:
        """When the record was first and last seen; None if it does not exist."""
        return await self._session.run(lambda cancel: self._collection.exists(id, cancel=cancel))

    async def _call(self, method: str, record: Mapping[str, Any]) -> WriteResult:
        loop = asyncio.get_running_loop()
        calls = self._calls.get(loop)
        if calls is None:
            path, list_path = f"/v2/{self._paths.type}", f"/v2/{self._paths.list_path}"
            calls = self._calls[loop] = ConcurrentCalls(self._send, path, list_path)
        return await calls.call(method, str(record.get(self._paths.id_field)), to_json(record))

    async def _send(self, make: Callable[[Cancellation], Ask]) -> Any:
        return await self._session.run(lambda cancel: self._session.session.call(make(cancel)))

    def add_all(
        self, source: AsyncIterable[Item] | Iterable[Item], *, batch_size: int = 1_000
    ) -> AsyncUpload[Item]:
        """Adds records from a source of any length. Does nothing until it is iterated, see AsyncUpload."""
        return AsyncUpload(
            self._session,
            lambda records, cancel: self._collection.add_all(
                records, batch_size=batch_size, cancel=cancel
            ),
            source,
        )

    def update_all(
        self, source: AsyncIterable[Update] | Iterable[Update], *, batch_size: int = 1_000
    ) -> AsyncUpload[Update]:
        """Updates records from a source of any length. Does nothing until it is iterated."""
        return AsyncUpload(
            self._session,
            lambda records, cancel: self._collection.update_all(
                records, batch_size=batch_size, cancel=cancel
            ),
            source,
        )


class AsyncDeletableCollection(
    AsyncCollection[Item, Update, Existence], Generic[Item, Update, Existence, Accepted]
):
    """Records of a type that can be deleted by request."""

    def __init__(self, session: AsyncSession, paths: RecordPaths) -> None:
        super().__init__(session, paths)
        self._deletable: DeletableCollection[Item, Update, Existence, Accepted] = (
            DeletableCollection(session.session, paths)
        )

    async def delete(
        self,
        id: str,
        reason: str,
        *,
        basis: DeletionBasis | None = None,
        idempotency_key: str | None = None,
    ) -> Accepted:
        """Like DeletableCollection.delete."""
        return await self._session.run(
            lambda cancel: self._deletable.delete(
                id, reason, basis=basis, idempotency_key=idempotency_key, cancel=cancel
            )
        )
