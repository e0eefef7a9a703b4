"""A client whose transport answers from a script, and waits that are over at once."""

from __future__ import annotations

import json
from typing import Any, Callable, Union
from unittest import mock

import sluice
from sluice._http import AttemptError, Reply, Request

KEY = "sluice_key_secret"
WRITTEN = {"success": True, "write_count": 1, "message": "1.", "organization_id": "o"}

Answer = Union[Reply, AttemptError]


def reply(status: int, body: Any = WRITTEN, retry_after: str | None = None) -> Reply:
    return Reply(status, None, retry_after, True, json.dumps(body).encode())


def refusal(code: int, retry_after: str | None = None) -> Reply:
    return reply(code // 100, {"code": code, "message": "No."}, retry_after)


def page(status: int) -> Reply:
    return Reply(status, None, None, False, b"<html></html>")


class Script:
    """Answers the nth request with the nth answer, and all further ones with the last."""

    def __init__(self, *answers: Answer, **options: Any) -> None:
        self.answers = answers
        self.sent: list[Request] = []
        self.token_requests: list[Request] = []
        self.waits: list[float] = []
        self.now = 1_000.0
        """By which the client retries; only its waits move it."""
        self.client = sluice.Sluice(
            "https://sluice.invalid", **{"api_key": KEY, "organization_id": "o", **options}
        )
        self.jitter: Callable[[], float] = lambda: 1.0
        self.on_send: Callable[[Request], None] = lambda _: None

    def __enter__(self) -> Script:
        self._patches = [
            mock.patch("sluice._http.Transport.send", self._send),
            mock.patch("sluice._connection.pause", lambda wait, _: self._wait(wait)),
            mock.patch("sluice._retry.time.monotonic", lambda: self.now),
            mock.patch("random.uniform", lambda _, longest: longest * self.jitter()),
        ]
        for patch in self._patches:
            patch.start()
        return self

    def __exit__(self, *_: object) -> None:
        for patch in self._patches:
            patch.stop()

    def _wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds

    def _send(self, request: Request, deadline: float, cancel: object) -> Reply:
        self.on_send(request)
        if request.path == "/auth/token":
            self.token_requests.append(request)
            return reply(200, {"token": f"sluice_token_secret_{len(self.token_requests)}"})
        self.sent.append(request)
        answer = self.answers[min(len(self.sent), len(self.answers)) - 1]
        if isinstance(answer, AttemptError):
            raise answer
        return answer
