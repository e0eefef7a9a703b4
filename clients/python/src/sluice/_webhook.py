"""Verifies webhooks by Standard Webhooks 1.0: `v1` is HMAC-SHA256 by the secret, `v1a` Ed25519 by the public key."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from typing import Any, Mapping, Sequence

from . import _ed25519

_TOLERANCE_SECONDS = 300
# Several keys may sign, each with two algorithms.
_SIGNATURES_MAX = 16
_KEY_BYTES = 32


class WebhookVerificationError(Exception):
    """The message was not sent by the service, was altered, or is not recent."""


def verify_webhook(body: bytes, headers: Mapping[str, str], keys: str | Sequence[str]) -> Any:
    """
    Returns the message.

    body: as it arrived, before it is parsed.
    keys: secrets (`whsec_…`), public keys (`whpk_…`), or both; one of them has to match.

    Raises WebhookVerificationError, and ValueError for an invalid key.
    """
    sent = {name.lower(): value for name, value in headers.items()}
    try:
        message_id, timestamp = sent["webhook-id"], sent["webhook-timestamp"]
        signatures = sent["webhook-signature"].split(" ")[:_SIGNATURES_MAX]
        is_recent = abs(int(time.time()) - int(timestamp)) <= _TOLERANCE_SECONDS
        content = f"{message_id}.{timestamp}.".encode() + body
    except (KeyError, ValueError):
        raise WebhookVerificationError("A header is missing or wrong.") from None
    if not is_recent:
        raise WebhookVerificationError("The message is not recent.")
    for key in [keys] if isinstance(keys, str) else keys:
        if _matches_any(key, signatures, content):
            return json.loads(body)
    raise WebhookVerificationError("No signature matches.")


def _matches_any(key: str, signatures: Sequence[str], content: bytes) -> bool:
    kind, _, text = key.partition("_")
    secret = _from_base64(text)
    if secret is None or len(secret) != _KEY_BYTES or kind not in ("whsec", "whpk"):
        raise ValueError("A key must be the secret (whsec_…) or the public key (whpk_…).")
    for signature in signatures:
        version, _, encoded = signature.partition(",")
        given = _from_base64(encoded)
        if given is None:
            continue
        if kind == "whsec" and version == "v1":
            if hmac.compare_digest(hmac.new(secret, content, hashlib.sha256).digest(), given):
                return True
        elif kind == "whpk" and version == "v1a" and _ed25519.verify(secret, content, given):
            return True
    return False


def _from_base64(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        return None
