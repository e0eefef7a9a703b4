"""Follows the changes of the organization page by page. The caller stores the offset of each page."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Iterator, Sequence, cast
from urllib.parse import urlencode

from ._cancellation import Cancellation
from ._connection import Ask, Bounds, pause, require_open
from ._http import Reply
from ._session import Session
from .types import ChangeEvent

# How long the service waits for the next change.
_LONG_POLL_SECONDS = 20.0
# A service that is stopping answers at once.
_PAUSE_SECONDS = 1.0


@dataclass(frozen=True)
class ChangePage:
    events: Sequence[ChangeEvent]
    """In the order of arrival. Empty if only the offset is new, as after `now`."""
    offset: str
    """The offset of the next page. Store it in the transaction in which the events take effect."""
    up_to_date: bool
    """Whether no further change had arrived."""


@dataclass(frozen=True)
class Follower:
    session: Session
    offset: str
    types: Sequence[str] | None
    content: bool
    follow: bool

    def pages(self, within: Bounds) -> Iterator[ChangePage]:
        follower = self
        while True:
            page = follower.next_page(within)
            if follower.is_new(page):
                yield page
            if page.up_to_date and not self.follow:
                return
            follower = replace(follower, offset=page.offset)

    def is_new(self, page: ChangePage) -> bool:
        return len(page.events) > 0 or page.offset != self.offset

    def next_page(self, within: Bounds) -> ChangePage:
        """Waits at least _PAUSE_SECONDS before it returns a page with nothing new."""
        began = time.monotonic()
        page = self._read(within)
        is_early = time.monotonic() - began < _PAUSE_SECONDS
        if self.follow and is_early and not self.is_new(page):
            pause(_PAUSE_SECONDS, within)
            require_open(Ask("GET", "/v2/changes", bounds=within), 1)
        return page

    def next_page_until(self, cancel: Cancellation) -> ChangePage:
        return self.next_page(Bounds(cancel=cancel))

    def _read(self, within: Bounds) -> ChangePage:
        query = {"offset": self.offset}
        if self.types is not None:
            query["types"] = ",".join(self.types)
        if self.content:
            query["include"] = "content"
        # For `now`, the offset is returned at once, before anything arrives.
        waits = self.follow and self.offset != "now"
        if waits:
            query["live"] = "long-poll"
        replies: list[Reply] = []
        ask = Ask(
            "GET",
            f"/v2/changes?{urlencode(query)}",
            bounds=within,
            wait_seconds=_LONG_POLL_SECONDS if waits else 0.0,
            on_reply=replies.append,
        )
        events = cast(Sequence[ChangeEvent], self.session.call(ask))
        reply = replies[-1]
        if reply.next_offset is None:
            raise ValueError("A proxy has removed the header Stream-Next-Offset.")
        return ChangePage(events, reply.next_offset, reply.is_up_to_date)
