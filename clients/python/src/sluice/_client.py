"""The synchronous client."""

from __future__ import annotations

import ssl
from typing import Callable, Iterator, Sequence

from ._cancellation import Cancellation
from ._changes import ChangePage, Follower
from ._collections import Collections
from ._connection import bounds
from ._deletions import Deletions
from ._options import TokenSource, read_settings
from ._session import Session
from .types import Scope

DEFAULT_SCOPES: Sequence[Scope] = ("transactions:write",)


class Sluice(Collections):
    """
    Create one for each service and organization; all threads of a program may share it.

    base_url: where the service is, without a path.
    api_key, organization_id: from the operator.
    get_token: in the place of the key: returns a token and its end as Unix time.
    token_source: in the place of the key: the path of a file with a token of the platform, or a function that
        returns one; read each time that an access token is needed.
    scopes: what tokens are asked for.
    expiry_seconds: how long a token lasts, 300 to 86400.
    retry_for: how many seconds a call is retried after its first failure; 0 turns retries off.
    timeout: how many seconds one attempt may take.
    ssl_context: such as one with a certificate of your own authority, or a client certificate.
    """

    deletions: Deletions

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
        self._session = Session(self._settings)
        super().__init__(self._session)
        self.deletions = Deletions(self._session)

    def changes(
        self,
        offset: str = "-1",
        *,
        types: Sequence[str] | None = None,
        content: bool = False,
        follow: bool = True,
        timeout: float | None = None,
        cancel: Cancellation | None = None,
    ) -> Iterator[ChangePage]:
        """
        Follows the changes of the organization, page by page.

        offset: `-1` for the beginning, `now`, or the offset of the last page.
        types: only these record types, such as "transaction".
        content: whether events have the change itself as `data`; needs the scope "changes:content".
        follow: whether to wait for further changes at the end of the feed, or to return there.
        timeout: how many seconds to follow.

        Raises SluiceError, also with ErrorCode.OFFSET_GONE: then begin again at `-1`.
        """
        follower = Follower(self._session, offset, types, content, follow)
        return follower.pages(bounds(timeout, cancel))

    def close(self) -> None:
        """Closes idle connections. The client can still be used."""
        self._session.close()

    def __enter__(self) -> Sluice:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Sluice({str(self._settings.base_url)!r})"
