"""Numbers made smaller as Java does it: where a value of Kafka's passes through a cast."""

from __future__ import annotations

import math

_INT32_MIN, _INT32_MAX = -(2**31), 2**31 - 1
_INT64_MIN, _INT64_MAX = -(2**63), 2**63 - 1


def round_to_long(value: float) -> int:
    """``Math.round``: halves go up, NaN is 0, and what does not fit int64 is its end."""
    return _within(value + 0.5, _INT64_MIN, _INT64_MAX)


def double_to_int(value: float) -> int:
    """``(int) value``: NaN is 0, and what does not fit int32 is its end."""
    return _within(math.trunc(value) if math.isfinite(value) else value, _INT32_MIN, _INT32_MAX)


def long_to_int(value: int) -> int:
    """``(int) value``: the low 32 bits, which may be negative."""
    return (value - _INT32_MIN) % 2**32 + _INT32_MIN


def _within(value: float, low: int, high: int) -> int:
    if math.isnan(value):
        return 0
    return low if value <= low else high if value >= high else math.floor(value)
