"""Writes what is sent as JSON. Raises for a value that would arrive changed."""

from __future__ import annotations

import json
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID


def to_json(value: object) -> bytes:
    """Raises TypeError or ValueError, with the field, for a value that JSON can't represent."""
    try:
        text = json.dumps(
            value, allow_nan=False, ensure_ascii=False, separators=(",", ":"), default=_encode
        )
        return text.encode()
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(_with_field(value, error)) from None


def _with_field(value: object, error: Exception) -> str:
    fields = value.items() if isinstance(value, dict) else ()
    for name, item in enumerate(value) if isinstance(value, list) else fields:
        try:
            to_json(item)
        except (TypeError, ValueError) as found:
            return f"{name}: {found}"
    return str(error)


def _encode(value: object) -> Any:
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError("A datetime must have a time zone, such as timezone.utc.")
        return value.isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        number = float(value)
        if value.is_finite() and Decimal(repr(number)) == value:
            return int(value) if value == value.to_integral_value() else number
        raise ValueError("A Decimal must be finite and have no more than 15 significant digits.")
    if isinstance(value, UUID):
        return str(value)
    raise TypeError(f"A value of the type {type(value).__name__} can't be sent as JSON.")


def parse_json(data: bytes, otherwise: object = None) -> Any:
    """`otherwise` if it is not JSON."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return otherwise
