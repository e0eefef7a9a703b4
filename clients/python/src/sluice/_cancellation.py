"""Ends a call from another thread: a wait at once, an attempt by closing its connection."""

from __future__ import annotations

import threading
from typing import Callable


class Cancellation:
    """Pass it to one or more calls as `cancel`; `cancel()` then ends them."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._closers: set[Callable[[], None]] = set()

    @property
    def is_cancelled(self) -> bool:
        return self._event.is_set()

    def cancel(self) -> None:
        with self._lock:
            self._event.set()
            closers = list(self._closers)
        for close in closers:
            close()

    def wait(self, seconds: float) -> bool:
        """True if it was cancelled in that time."""
        return self._event.wait(seconds)

    def attach(self, close: Callable[[], None]) -> None:
        with self._lock:
            self._closers.add(close)
            is_late = self._event.is_set()
        if is_late:
            close()

    def detach(self, close: Callable[[], None]) -> None:
        with self._lock:
            self._closers.discard(close)
