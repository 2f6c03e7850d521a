"""Further passes over records that the walk has found well formed.

They serve refusals, searches by time, and records that are to be numbered anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from protocol.corrupt_records import CorruptRecords
from protocol.record_batch.numbers import INT64_BITS, InvalidRecord, varint, zigzag_at


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


# The most that a record has before its key: length, attributes, timestamp and offset delta.
_HEAD_BYTES_MAX = 5 + 1 + 10 + 5


def timestamps_and_offsets(
    pieces: Iterable[bytes | memoryview], count: int
) -> Iterator[tuple[int, int]]:
    """Timestamp and offset delta of each record; holds one piece at a time.

    *pieces* make the *count* records when they are joined. Raises `CorruptRecords`.
    """
    rest = iter(pieces)
    data, at = b"", 0
    for _ in range(count):
        while len(data) - at < _HEAD_BYTES_MAX and (piece := next(rest, None)) is not None:
            data, at = data[at:] + bytes(piece), 0
        try:
            length, at = zigzag_at(data, at)
            end = at + (length >> 1)
            delta, at = zigzag_at(data, at + 1, INT64_BITS)  # behind the attributes, unused
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
