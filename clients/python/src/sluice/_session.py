"""
A call in the organization's name: a token for it, an Idempotency-Key if it writes, and one renewal if
the token is not accepted any more. Never renews for a key that was revoked.
"""

from __future__ import annotations

import secrets
import threading
import time
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from ._connection import Ask, Bounds, Connection, require_open
from ._errors import SluiceError
from ._json import to_json
from ._options import Secret, Settings, TokenSource, fits_header
from .codes import ErrorCode

# A token is renewed this long before it expires, or a tenth of its lifetime if that is less.
_MARGIN_SECONDS = 60.0
_ASK_SECONDS = 0.05
_STALE = frozenset((ErrorCode.CREDENTIAL_INVALID, ErrorCode.CREDENTIAL_EXPIRED))


@dataclass(frozen=True)
class _Kept:
    token: Secret
    renew_at: float
    """By `time.monotonic`."""


class Session:
    def __init__(self, settings: Settings) -> None:
        self.connection = Connection(settings)
        self._tokens = TokenKeeper(self.connection, settings)

    def call(self, ask: Ask) -> Any:
        """Uses the same key for every attempt, so that the call takes effect once, whatever fails."""
        keyed = ask
        if ask.method != "GET":
            keyed = replace(ask, idempotency_key=_key_of(ask))
        token = self._tokens.get(ask.bounds)
        try:
            return self.connection.request(keyed, token, "Bearer ")
        except SluiceError as error:
            if error.code not in _STALE:
                raise
        self._tokens.forget(token)
        return self.connection.request(keyed, self._tokens.get(ask.bounds), "Bearer ")

    def close(self) -> None:
        self.connection.close()


def _key_of(ask: Ask) -> str:
    key = secrets.token_hex(16) if ask.idempotency_key is None else ask.idempotency_key
    if fits_header(key) and len(key) <= 255:
        return key
    raise ValueError("idempotency_key must be 1 to 255 visible ASCII characters.")


class TokenKeeper:
    """Renews the token with one request for all threads that wait for it."""

    def __init__(self, connection: Connection, settings: Settings) -> None:
        self._connection = connection
        self._settings = settings
        self._kept: _Kept | None = None
        self._renewing = threading.Lock()

    def get(self, within: Bounds) -> Secret:
        kept = self._kept
        if kept is not None and time.monotonic() < kept.renew_at:
            return kept.token
        self._acquire(within)
        try:
            kept = self._kept
            if kept is None or time.monotonic() >= kept.renew_at:
                kept = self._kept = self._fetch(within)
            return kept.token
        finally:
            self._renewing.release()

    def _acquire(self, within: Bounds) -> None:
        """Waits for the renewal that another thread has begun, within the time of the call."""
        while not self._renewing.acquire(timeout=_ASK_SECONDS):
            require_open(Ask("POST", "/auth/token", bounds=within), 1)

    def forget(self, token: Secret) -> None:
        """Discards a token that the service no longer accepts."""
        kept = self._kept
        if kept is not None and kept.token is token:
            self._kept = None

    def _fetch(self, within: Bounds) -> _Kept:
        settings = self._settings
        if settings.get_token is not None:
            token, expiry = settings.get_token()
            # The time is by the service's clock, so a token that seems expired may be valid.
            life = max(expiry - time.time(), _MARGIN_SECONDS)
            return _keep(token, time.monotonic(), life)
        asked_at = time.monotonic()
        if settings.token_source is not None:
            reply = self._exchange(settings.token_source, within)
            life = reply.get("expires_in") or settings.expiry_seconds
            return _keep(reply.get("token"), asked_at, life)
        scopes = {"organization_id": settings.organization_id, "scopes": settings.scopes}
        body = to_json({"expiry_seconds": settings.expiry_seconds, "scopes": scopes})
        ask = Ask("POST", "/auth/token", body, bounds=within)
        reply = self._connection.request(ask, settings.api_key)
        # Counted from now, so that a wrong clock of this machine does not matter.
        return _keep(reply.get("token"), asked_at, settings.expiry_seconds)

    def _exchange(self, source: TokenSource, within: Bounds) -> Any:
        """By RFC 7523. The platform may have replaced a refused token, so the current one is tried once."""
        token = _read_source(source)
        try:
            return self._connection.request(self._form(token, within), None)
        except SluiceError as error:
            if error.code != ErrorCode.CREDENTIAL_INVALID:
                raise
            following = _read_source(source)
            if following.reveal() == token.reveal():
                raise
        return self._connection.request(self._form(following, within), None)

    def _form(self, token: Secret, within: Bounds) -> Ask:
        fields = {
            "grant_type": "client_credentials",
            "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            "client_assertion": token.reveal(),
            "organization_id": self._settings.organization_id or "",
            "scope": " ".join(self._settings.scopes),
            "expiry_seconds": str(self._settings.expiry_seconds),
        }
        return Ask("POST", "/auth/token", urlencode(fields).encode(), is_form=True, bounds=within)


def _read_source(source: TokenSource) -> Secret:
    """Reads it each time, because the platform replaces its tokens."""
    if callable(source):
        token = source()
    else:
        with open(source, encoding="utf-8") as file:
            token = file.read()
    token = token.strip() if isinstance(token, str) else ""
    if not fits_header(token):
        raise ValueError("token_source returned no token.")
    return Secret(token)


def _keep(token: object, since: float, life: float) -> _Kept:
    if not isinstance(token, str) or not fits_header(token):
        raise ValueError("The reply contains no valid access token.")
    return _Kept(Secret(token), since + life - min(_MARGIN_SECONDS, life / 10))
