"""Reads single fields of records that `protocol.record_batch.scan` has found well formed.

They are needed to refuse records, to search by timestamp and to assign new offset deltas.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from protocol.corrupt_records import CorruptRecords
from protocol.record_batch.numbers import INT64_BITS, InvalidRecord, varint, zigzag_at


def record_timestamps_and_keys(block: bytes | memoryview, count: int) -> Iterator[tuple[int, bool]]:
    """Yield the timestamp delta of each record of *block*, and whether it has a key."""
    position = 0
    for _ in range(count):
        length, position = zigzag_at(block, position)
        finish = position + (length >> 1)
        delta, position = zigzag_at(block, position + 1, INT64_BITS)
        _, position = zigzag_at(block, position)
        key, _ = zigzag_at(block, position)
        yield (delta >> 1) ^ -(delta & 1), not key & 1
        position = finish


# Maximum bytes before a record's key: length, attributes, timestamp delta and offset delta.
_HEAD_BYTES_MAX: Final = 5 + 1 + 10 + 5


def timestamps_and_offsets(
    pieces: Iterable[bytes | memoryview], count: int
) -> Iterator[tuple[int, int]]:
    """Yield timestamp delta and offset delta of each record, with one piece in memory at a time.

    The joined *pieces* are *count* records. Raises `CorruptRecords`.
    """
    rest = iter(pieces)
    data, at = b"", 0
    for _ in range(count):
        while len(data) - at < _HEAD_BYTES_MAX and (piece := next(rest, None)) is not None:
            data, at = data[at:] + bytes(piece), 0
        try:
            length, at = zigzag_at(data, at)
            end = at + (length >> 1)
            delta, at = zigzag_at(data, at + 1, INT64_BITS)  # after the unused attributes
            offset, _ = zigzag_at(data, at)
        except (IndexError, InvalidRecord):
            raise CorruptRecords("the bytes end inside a record") from None
        yield (delta >> 1) ^ -(delta & 1), offset >> 1
        while end > len(data):
            piece = next(rest, None)
            if piece is None:
                raise CorruptRecords("the bytes end inside a record")
            data, end = bytes(piece), end - len(data)
        at = end


def renumber(block: bytes | memoryview, count: int) -> bytes:
    """The records of *block* with the offset deltas 0, 1, 2, ..."""
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
