"""Generations and epochs are numbers of 32 bits, which wrap around as Java's do."""

from __future__ import annotations

_INT32_SIGN = 1 << 31


def next_epoch(epoch: int) -> int:
    """The generation or epoch after *epoch*: after 2^31 - 1 comes -2^31, as in Kafka."""
    return (epoch + 1 + _INT32_SIGN) % (2 * _INT32_SIGN) - _INT32_SIGN
