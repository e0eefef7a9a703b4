"""Deletion requests: the status of one, and waiting until it has ended."""

from __future__ import annotations

import random
from typing import cast
from urllib.parse import quote

from ._cancellation import Cancellation
from ._connection import Ask, Bounds, bounds, pause
from ._options import require_text
from ._session import Session
from .types import DeletionStatus

_FIRST_SECONDS = 0.1
_LONGEST_SECONDS = 10.0


class Deletions:
    def __init__(self, session: Session) -> None:
        self._session = session

    def status(
        self,
        deletion_request_id: str,
        *,
        timeout: float | None = None,
        cancel: Cancellation | None = None,
    ) -> DeletionStatus:
        return self._status(deletion_request_id, bounds(timeout, cancel))

    def wait(
        self,
        deletion_request_id: str,
        *,
        timeout: float | None = None,
        cancel: Cancellation | None = None,
    ) -> DeletionStatus:
        """
        Polls the status, less and less often, until the deletion is completed, or cancelled by the
        operator. With a grace period or a hold this can take days: bound it with `timeout`, after which
        it raises SluiceTimeoutError.
        """
        within = bounds(timeout, cancel)
        seconds = _FIRST_SECONDS
        while True:
            found = self._status(deletion_request_id, within)
            if found["status"] in ("completed", "cancelled"):
                return found
            pause(seconds * (0.5 + random.random() / 2), within)
            seconds = min(seconds * 1.5, _LONGEST_SECONDS)

    def _status(self, deletion_request_id: str, within: Bounds) -> DeletionStatus:
        asked = quote(require_text("deletion_request_id", deletion_request_id), safe="")
        path = f"/v2/deletion_request?deletion_request_id={asked}"
        return cast(DeletionStatus, self._session.call(Ask("GET", path, bounds=within)))
