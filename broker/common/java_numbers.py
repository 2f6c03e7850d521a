"""Java's narrowing conversions of numbers, for values that Kafka casts."""

from __future__ import annotations

import math
from typing import Final

_INT32_MIN: Final = -(2**31)
_INT32_MAX: Final = 2**31 - 1
_INT64_MIN: Final = -(2**63)
_INT64_MAX: Final = 2**63 - 1


def round_to_long(value: float) -> int:
    """``Math.round``: halves are rounded up, NaN is 0, other values are clamped to int64."""
    return _within(value + 0.5, _INT64_MIN, _INT64_MAX)


def double_to_int(value: float) -> int:
    """``(int) value`` of a double: NaN is 0, other values are clamped to int32."""
    return _within(math.trunc(value) if math.isfinite(value) else value, _INT32_MIN, _INT32_MAX)


def long_to_int(value: int) -> int:
    """``(int) value`` of a long: its low 32 bits, which may be negative."""
    return (value - _INT32_MIN) % 2**32 + _INT32_MIN


def _within(value: float, low: int, high: int) -> int:
    if math.isnan(value):
        return 0
    return low if value <= low else high if value >= high else math.floor(value)
