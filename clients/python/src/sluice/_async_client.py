"""The client for asyncio."""

from __future__ import annotations

import ssl
from concurrent.futures import ThreadPoolExecutor
from typing import AsyncIterator, Callable, Sequence

from ._async_collection import AsyncSession
from ._changes import ChangePage, Follower
from ._client import DEFAULT_SCOPES
from ._collections import AsyncCollections
from ._deletions import Deletions
from ._options import TokenSource, read_settings, wrong
from ._session import Session
from .types import DeletionStatus, Scope


class AsyncDeletions:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session
        self._deletions = Deletions(session.session)

    async def status(self, deletion_request_id: str) -> DeletionStatus:
        return await self._session.run(
            lambda cancel: self._deletions.status(deletion_request_id, cancel=cancel)
        )

    async def wait(self, deletion_request_id: str) -> DeletionStatus:
        """Like Deletions.wait; bound it with `asyncio.timeout` or `asyncio.wait_for`."""
        return await self._session.run(
            lambda cancel: self._deletions.wait(deletion_request_id, cancel=cancel)
        )


class AsyncSluice(AsyncCollections):
    """
    Create one for each service and organization; all tasks of a program may share it. It has the options of
    Sluice, and two more.

    calls_max: how many requests run at once, each in a thread; further ones wait.
    batching: whether concurrent calls of `add` and `update` with one record are sent as one list, with the
    answers that separate requests would get. A call with an `idempotency_key` is always sent alone.
    """

    deletions: AsyncDeletions

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        organization_id: str | None = None,
        get_token: Callable[[], tuple[str, float]] | None = None,
        token_source: TokenSource | None = None,
        scopes: Sequence[Scope] = DEFAULT_SCOPES,
        expiry_seconds: int = 3_600,
        retry_for: float = 120.0,
        timeout: float = 30.0,
        ssl_context: ssl.SSLContext | None = None,
        calls_max: int = 32,
        batching: bool = True,
    ) -> None:
        """Sends nothing yet. Raises ValueError for an option that is missing or wrong."""
        self._settings = read_settings(
            base_url,
            api_key=api_key,
            organization_id=organization_id,
            get_token=get_token,
            token_source=token_source,
            scopes=scopes,
            expiry_seconds=expiry_seconds,
            retry_for=retry_for,
            timeout=timeout,
            ssl_context=ssl_context,
        )
        if not isinstance(calls_max, int) or not 1 <= calls_max <= 1_000:
            raise wrong("calls_max", "a whole number from 1 to 1000")
        self._threads = ThreadPoolExecutor(calls_max, thread_name_prefix="sluice")
        self._session = Session(self._settings)
        session = self._async_session = AsyncSession(self._session, self._threads, batching)
        super().__init__(session)
        self.deletions = AsyncDeletions(session)

    async def changes(
        self,
        offset: str = "-1",
        *,
        types: Sequence[str] | None = None,
        content: bool = False,
        follow: bool = True,
    ) -> AsyncIterator[ChangePage]:
        """Like Sluice.changes. While it waits, it uses one of the threads of `calls_max`."""
        while True:
            follower = Follower(self._session, offset, types, content, follow)
            page = await self._async_session.run(follower.next_page_until)
            if follower.is_new(page):
                yield page
            if page.up_to_date and not follow:
                return
            offset = page.offset

    async def aclose(self) -> None:
        """Closes the connections and ends the threads, after the calls in progress have ended."""
        self._threads.shutdown(wait=False)
        self._session.close()

    async def __aenter__(self) -> AsyncSluice:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"AsyncSluice({str(self._settings.base_url)!r})"
