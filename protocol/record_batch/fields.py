"""Reads single fields of records that `protocol.record_batch.scan` has found well formed.

They are needed to refuse records, to search by timestamp and to encode records again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from protocol.corrupt_records import CorruptRecords
from protocol.record_batch.numbers import INT64_BITS, InvalidRecord, int64, varint, zigzag_at

# Timestamp delta, offset delta, and the sizes of key and value in bytes; null is -1 byte.
RecordFields = tuple[int, int, int, int]


def record_fields(block: bytes | memoryview, count: int) -> Iterator[RecordFields]:
    """Yield the fields of each record of *block*."""
    position = 0
    for _ in range(count):
        length, position = zigzag_at(block, position)
        finish = position + (length >> 1)
        delta, position = zigzag_at(block, position + 1, INT64_BITS)
        offset, position = zigzag_at(block, position)
        key, position = zigzag_at(block, position)
        value, _ = zigzag_at(block, position if key & 1 else position + (key >> 1))
        yield _signed(delta), _signed(offset), _signed(key), _signed(value)
        position = finish


def _signed(zigzag: int) -> int:
    return (zigzag >> 1) ^ -(zigzag & 1)


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


def are_as_encoded(block: bytes | memoryview, count: int) -> bool:
    """Whether the first timestamp delta and the attributes of all records of *block* are 0."""
    position = 0
    for index in range(count):
        length, body = zigzag_at(block, position)
        if block[body] or (not index and block[body + 1]):
            return False
        position = body + (length >> 1)
    return True


def encoded_again(block: bytes | memoryview, count: int, *, same_timestamp: bool) -> bytes:
    """The records of *block* as Kafka's ``MemoryRecordsBuilder`` encodes them.

    They have no attributes, the offset deltas 0, 1, 2, ... and timestamps relative to the first
    record's, which are 0 with *same_timestamp*.
    """
    parts: list[bytes | memoryview] = []
    position = first = 0
    for index in range(count):
        length, body = zigzag_at(block, position)
        position = body + (length >> 1)
        delta, offset_at = zigzag_at(block, body + 1, INT64_BITS)
        _, rest_at = zigzag_at(block, offset_at)
        delta = 0 if same_timestamp else (delta >> 1) ^ -(delta & 1)
        if not index:
            first = delta
        head = b"\x00" + varint(int64(delta - first)) + varint(index)
        parts += (varint(len(head) + position - rest_at), head, block[rest_at:position])
    return b"".join(parts)
