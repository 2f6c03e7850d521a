"""Second looks at records that the walk has found well formed: for refusals, and to number anew."""

from __future__ import annotations

from collections.abc import Iterator

from broker.storage.record_numbers import INT64_BITS, zigzag_at
from protocol.records import varint


def record_timestamps_and_keys(block: bytes | memoryview, count: int) -> Iterator[tuple[int, bool]]:
    """Timestamp delta and "has a key" of each record of a well-formed *block*."""
    position = 0
    for _ in range(count):
        length, position = zigzag_at(block, position)
        finish = position + (length >> 1)
        delta, position = zigzag_at(block, position + 1, INT64_BITS)
        _, position = zigzag_at(block, position)
        key, _ = zigzag_at(block, position)
        yield (delta >> 1) ^ -(delta & 1), not key & 1
        position = finish


def renumber(block: bytes | memoryview, count: int) -> bytes:
    """The records of a well-formed *block* with the offset deltas 0, 1, 2, ..."""
    parts: list[bytes | memoryview] = []
    position = 0
    for index in range(count):
        length, body = zigzag_at(block, position)
        position = body + (length >> 1)
        _, offset_at = zigzag_at(block, body + 1, INT64_BITS)
        _, rest_at = zigzag_at(block, offset_at)
        number = varint(index)
        size = position - rest_at + offset_at - body + len(number)
        parts += (varint(size), block[body:offset_at], number, block[rest_at:position])
    return b"".join(parts)
