"""Generations and epochs are signed 32-bit numbers, which wrap around as in Java."""

from __future__ import annotations

_INT32_SIGN = 1 << 31


def next_epoch(epoch: int) -> int:
    """The generation or epoch after *epoch*; the one after 2^31 - 1 is -2^31, as in Kafka."""
    return (epoch + 1 + _INT32_SIGN) % (2 * _INT32_SIGN) - _INT32_SIGN
