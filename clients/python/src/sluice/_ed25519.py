"""
Verifies signatures of Ed25519 (RFC 8032, section 5.1.7), which the standard library of Python lacks. Handles only what
is public, so its time discloses nothing.
"""

from __future__ import annotations

import hashlib
from typing import Tuple

_P = 2**255 - 19
_L = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _P) % _P
_ROOT_OF_MINUS_ONE = pow(2, (_P - 1) // 4, _P)

# Extended homogeneous coordinates (section 5.1.4): x = X / Z, y = Y / Z, x * y = T / Z.
_Point = Tuple[int, int, int, int]
_NEUTRAL: _Point = (0, 1, 1, 0)


def verify(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """The public key has 32 bytes."""
    if len(signature) != 64:
        return False
    key, r = _decode(public_key), _decode(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if key is None or r is None or s >= _L:
        return False
    digest = hashlib.sha512(signature[:32] + public_key + message).digest()
    h = int.from_bytes(digest, "little") % _L
    return _equal(_multiply(s, _BASE), _add(r, _multiply(h, key)))


def _add(a: _Point, b: _Point) -> _Point:
    left = (a[1] - a[0]) * (b[1] - b[0]) % _P
    right = (a[1] + a[0]) * (b[1] + b[0]) % _P
    t = 2 * a[3] * b[3] * _D % _P
    z = 2 * a[2] * b[2] % _P
    e, f, g, h = right - left, z - t, z + t, right + left
    return (e * f % _P, g * h % _P, f * g % _P, e * h % _P)


def _multiply(factor: int, point: _Point) -> _Point:
    product = _NEUTRAL
    while factor > 0:
        if factor & 1:
            product = _add(product, point)
        point = _add(point, point)
        factor >>= 1
    return product


def _equal(a: _Point, b: _Point) -> bool:
    return (a[0] * b[2] - b[0] * a[2]) % _P == 0 and (a[1] * b[2] - b[1] * a[2]) % _P == 0


def _decode(data: bytes) -> _Point | None:
    """Section 5.1.3. None if it is not a point of the curve."""
    encoded = int.from_bytes(data, "little")
    sign, y = encoded >> 255, encoded & (2**255 - 1)
    if y >= _P:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P != 0:
        x = x * _ROOT_OF_MINUS_ONE % _P
    if (x * x - square) % _P != 0 or (x == 0 and sign == 1):
        return None
    if x & 1 != sign:
        x = _P - x
    return (x, y, 1, x * y % _P)


def _base() -> _Point:
    """The point with y = 4/5 and an even x."""
    point = _decode((4 * pow(5, -1, _P) % _P).to_bytes(32, "little"))
    if point is None:
        raise AssertionError
    return point


_BASE = _base()
