"""
Makes one attempt: sends a request and reads its complete reply, within a time limit, over connections
that are kept open. Never follows a redirect: the credential is not for its target.
"""

from __future__ import annotations

import contextlib
import functools
import http.client
import select
import socket
import ssl
import threading
import time
import urllib.request
from dataclasses import dataclass
from typing import Callable, Mapping
from urllib.parse import urlsplit

from ._cancellation import Cancellation
from ._options import BaseUrl, wrong

# Every reply of the service is shorter.
REPLY_BYTES_MAX = 64 * 1024 * 1024
# Servers and proxies close idle connections after a minute or so.
IDLE_SECONDS_MAX = 4.0
IDLE_MAX = 32


class AttemptError(Exception):
    """No complete reply arrived. Says why, without anything that was sent."""


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes | None

    def __repr__(self) -> str:
        # The headers contain the credential, and the query may contain the id of a record.
        return f"Request({self.method} {self.path.partition('?')[0]})"


@dataclass(frozen=True)
class Reply:
    status: int
    request_id: str | None
    retry_after: str | None
    is_json: bool
    body: bytes
    next_offset: str | None = None
    """The headers of a page of changes."""
    is_up_to_date: bool = False


class Transport:
    """Connections to one service; may be used by many threads at once."""

    def __init__(self, base_url: BaseUrl, ssl_context: ssl.SSLContext | None) -> None:
        self._base_url = base_url
        self._ssl_context = ssl_context
        if base_url.scheme == "https" and ssl_context is None:
            self._ssl_context = ssl.create_default_context()
        self._proxy = _proxy_for(base_url)
        self._lock = threading.Lock()
        self._idle: list[tuple[http.client.HTTPConnection, float]] = []

    def send(self, request: Request, deadline: float, cancel: Cancellation | None) -> Reply:
        """`deadline` by `time.monotonic`. Raises AttemptError."""
        connection = self._take()
        shut: Callable[[], None] | None = None
        is_reusable = False
        try:
            sock = _connected(connection, deadline)
            if cancel is not None:
                shut = functools.partial(_shut, sock)
                cancel.attach(shut)
            reply, is_reusable = self._exchange(connection, sock, request, deadline)
            return reply
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise AttemptError(_describe(error)) from None
        finally:
            if cancel is not None and shut is not None:
                cancel.detach(shut)
            if is_reusable:
                self._keep(connection)
            else:
                connection.close()

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection, _ in idle:
            connection.close()

    def _exchange(
        self,
        connection: http.client.HTTPConnection,
        sock: socket.socket,
        request: Request,
        deadline: float,
    ) -> tuple[Reply, bool]:
        target = self._target(request.path)
        connection.request(request.method, target, request.body, dict(request.headers))
        sock.settimeout(_remaining(deadline))
        response = connection.getresponse()
        # Of interim replies, http.client skips only 100. It reads headers unless it has some.
        while 101 < response.status < 200:
            sock.settimeout(_remaining(deadline))
            response.headers = None  # type: ignore[assignment]
            response.begin()
        with response:
            body = _read_body(response, sock, deadline)
        reply = Reply(
            status=response.status,
            request_id=response.getheader("x-request-id"),
            retry_after=response.getheader("retry-after"),
            is_json="json" in (response.getheader("content-type") or ""),
            next_offset=response.getheader("stream-next-offset"),
            is_up_to_date=response.getheader("stream-up-to-date") == "true",
            body=body,
        )
        return reply, not response.will_close

    def _target(self, path: str) -> str:
        is_plain_proxy = self._proxy is not None and self._base_url.scheme == "http"
        return f"{self._base_url}{path}" if is_plain_proxy else path

    def _take(self) -> http.client.HTTPConnection:
        """An open connection on which nothing has arrived, or a new one."""
        while True:
            with self._lock:
                if not self._idle:
                    break
                connection, since = self._idle.pop()
            if time.monotonic() - since < IDLE_SECONDS_MAX and _is_quiet(connection):
                return connection
            connection.close()
        return self._open()

    def _keep(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            if len(self._idle) < IDLE_MAX:
                self._idle.append((connection, time.monotonic()))
                return
        connection.close()

    def _open(self) -> http.client.HTTPConnection:
        host, port = self._base_url.host, self._base_url.port
        if self._proxy is None:
            return self._new(host, port)
        proxy_host, proxy_port = self._proxy
        connection = self._new(proxy_host, proxy_port)
        if self._base_url.scheme == "https":
            connection.set_tunnel(host, port)
        return connection

    def _new(self, host: str, port: int) -> http.client.HTTPConnection:
        if self._base_url.scheme == "https":
            return http.client.HTTPSConnection(host, port, context=self._ssl_context)
        return http.client.HTTPConnection(host, port)


def _remaining(deadline: float) -> float:
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds


def _connected(connection: http.client.HTTPConnection, deadline: float) -> socket.socket:
    connection.timeout = _remaining(deadline)
    if connection.sock is None:
        connection.connect()
    sock: socket.socket | None = connection.sock
    if sock is None:
        raise http.client.NotConnected
    sock.settimeout(_remaining(deadline))
    return sock


def _read_body(response: http.client.HTTPResponse, sock: socket.socket, deadline: float) -> bytes:
    parts: list[bytes] = []
    length = 0
    # The socket of a reply that ends with its connection is closed when its last byte is read.
    while not response.isclosed():
        if sock.fileno() >= 0:
            sock.settimeout(_remaining(deadline))
        part = response.read1(65_536)
        parts.append(part)
        length += len(part)
        if length > REPLY_BYTES_MAX:
            raise ValueError("the reply is too long")
        if not part:
            break
    if response.length:
        raise http.client.IncompleteRead(b"", response.length)
    return b"".join(parts)


def _is_quiet(connection: http.client.HTTPConnection) -> bool:
    """On an idle connection, only its end or an unexpected reply can arrive."""
    try:
        if hasattr(select, "poll"):
            poll = select.poll()
            poll.register(connection.sock, select.POLLIN)
            return not poll.poll(0)
        return not select.select([connection.sock], [], [], 0)[0]
    except (OSError, ValueError, TypeError):
        return False


def _shut(sock: socket.socket) -> None:
    with contextlib.suppress(OSError):
        sock.shutdown(socket.SHUT_RDWR)


_NO_TLS = "WRONG_VERSION_NUMBER"


def _describe(error: Exception) -> str:
    """Without the address, which is in base_url, and without what was sent."""
    if isinstance(error, TimeoutError):
        return "no reply came in time"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the certificate is not valid: {error.verify_message}"
    if isinstance(error, ssl.SSLError):
        hint = "; that port may speak HTTP without TLS" if error.reason == _NO_TLS else ""
        return f"the TLS connection failed: {error.reason}{hint}"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    if isinstance(error, http.client.IncompleteRead):
        return "the reply broke off"
    if isinstance(error, http.client.RemoteDisconnected):
        return "the connection ended without a reply"
    return f"the reply could not be read ({type(error).__name__})"


def _proxy_for(base_url: BaseUrl) -> tuple[str, int] | None:
    """From HTTPS_PROXY, HTTP_PROXY and NO_PROXY, or the system's settings. Never for this machine."""
    is_here = base_url.host in ("localhost", "::1") or base_url.host.startswith("127.")
    address = urllib.request.getproxies().get(base_url.scheme)
    if is_here or not address or urllib.request.proxy_bypass(base_url.host):
        return None
    name = f"{base_url.scheme.upper()}_PROXY"
    expected = "an address such as http://proxy.example.com:3128"
    try:
        url = urlsplit(address if "//" in address else f"//{address}", "http")
        host, port = url.hostname, url.port or 80
    except ValueError:
        raise wrong(name, expected) from None
    if url.username is not None:
        raise ValueError(f"{name} has a user, but the client can't sign in to a proxy.")
    if url.scheme != "http":
        raise ValueError(f"{name} must begin with http://: the client uses no TLS to a proxy.")
    if not host:
        raise wrong(name, expected)
    return host, port
