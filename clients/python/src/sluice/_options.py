"""Checks the options of a client. Errors name the option and never repeat a value, which may be a secret."""

from __future__ import annotations

import os
import re
import ssl
from dataclasses import dataclass, field
from typing import Callable, Sequence, Union
from urllib.parse import urlsplit

from .types import Scope

_VISIBLE_ASCII = re.compile(r"[\x21-\x7e]+")
_ADDRESS = "an address such as https://intake.example.com, without a user, path, query or fragment"


TokenSource = Union[str, "os.PathLike[str]", Callable[[], str]]
"""The path of a file with a token of the platform, or a function that returns one."""


class Secret:
    """A text that is never shown, neither by print nor in a debugger's list of variables."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return "Secret(…)"

    def __reduce__(self) -> str:
        raise TypeError("A secret can't be pickled.")


@dataclass(frozen=True)
class BaseUrl:
    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"


@dataclass(frozen=True)
class Settings:
    base_url: BaseUrl
    organization_id: str | None
    api_key: Secret | None
    get_token: Callable[[], tuple[str, float]] | None = field(repr=False)
    token_source: TokenSource | None = field(repr=False)
    scopes: Sequence[Scope]
    expiry_seconds: int
    retry_for: float
    timeout: float
    ssl_context: ssl.SSLContext | None = field(repr=False)


def read_settings(
    base_url: str,
    *,
    api_key: str | None,
    organization_id: str | None,
    get_token: Callable[[], tuple[str, float]] | None,
    token_source: TokenSource | None,
    scopes: Sequence[Scope],
    expiry_seconds: int,
    retry_for: float,
    timeout: float,
    ssl_context: ssl.SSLContext | None,
) -> Settings:
    """Raises ValueError for an option that is missing or wrong."""
    key = api_key.strip() if isinstance(api_key, str) else ""
    credentials = {"api_key": api_key, "token_source": token_source, "get_token": get_token}
    given = [name for name, value in credentials.items() if value is not None]
    if len(given) > 1:
        raise ValueError(f"{given[0]} and {given[1]} exclude each other.")
    if get_token is None:
        if token_source is None and not fits_header(key):
            instead = "get_token or token_source"
            raise wrong("api_key", f"the key as the operator issued it, unless {instead} is given")
        is_path = isinstance(token_source, (str, os.PathLike)) and bool(os.fspath(token_source))
        if token_source is not None and not is_path and not callable(token_source):
            raise wrong("token_source", "the path of a file, or a function that returns a token")
        if not isinstance(organization_id, str) or not organization_id:
            raise wrong("organization_id", "the id of the organization of the key")
    if not _is_whole(expiry_seconds) or not 300 <= expiry_seconds <= 86_400:
        raise wrong("expiry_seconds", "a whole number from 300 to 86400")
    if not _is_number(retry_for) or not 0 <= retry_for <= 1_000_000:
        raise wrong("retry_for", "a number of seconds from 0 to 1000000")
    if isinstance(scopes, str):
        raise wrong("scopes", "a list of scopes")
    return Settings(
        base_url=_read_base_url(base_url),
        organization_id=organization_id,
        api_key=Secret(key) if get_token is None and token_source is None else None,
        get_token=get_token,
        token_source=token_source,
        scopes=tuple(scopes),
        expiry_seconds=expiry_seconds,
        retry_for=float(retry_for),
        timeout=read_timeout(timeout),
        ssl_context=ssl_context,
    )


def read_timeout(timeout: float) -> float:
    if not _is_number(timeout) or not 0 < timeout <= 1_000_000:
        raise wrong("timeout", "a number of seconds from above 0 up to 1000000")
    return float(timeout)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _read_base_url(text: str) -> BaseUrl:
    try:
        url = urlsplit(text)
        port = url.port or (443 if url.scheme == "https" else 80)
    except (ValueError, AttributeError, TypeError):
        raise wrong("base_url", _ADDRESS) from None
    is_plain = url.username is None and not url.query and not url.fragment
    if not is_plain or url.path not in ("", "/") or url.scheme not in ("http", "https") or not url.hostname:
        raise wrong("base_url", _ADDRESS)
    return BaseUrl(url.scheme, url.hostname, port)


def fits_header(text: object) -> bool:
    """Whether a text can be the value of a header; the error of `http.client` would repeat it."""
    return isinstance(text, str) and _VISIBLE_ASCII.fullmatch(text) is not None


def require_text(name: str, value: object) -> str:
    """Raises ValueError for an argument that is empty or no text."""
    if isinstance(value, str) and value:
        return value
    raise wrong(name, "a text that is not empty")


def wrong(option: str, expected: str) -> ValueError:
    return ValueError(f"{option} must be {expected}.")
