"""One pass over the records of a batch: are they well formed, and what must be known about them.

This is where a produce spends its time, so it is built for speed. Records are walked one by one,
with the one- and two-byte varints of small numbers decoded in line. When neighbours have the same
size, most often many do; then every byte that gives a record its structure stands at the same
distance in each of them, and a slice with that stride takes the whole column out at once, to be
compared with what it must be. By induction over the length columns each record of such a run
begins where the one before it ends, so this is exact, not a guess.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from broker.storage.record_runs import measure_run
from protocol.records import varint

# Up to this size records are copied first: single bytes are read faster from bytes than a view.
_COPIED_RECORD_BYTES = 512

_INT32_BITS = 0xFFFF_FFFF
_INT64_BITS = 0xFFFF_FFFF_FFFF_FFFF


class InvalidRecord(Exception):  # noqa: N818 - it names what the bytes are
    """The records of a batch are not well formed."""


class RecordsSummary(NamedTuple):
    """What a batch's records are, taken together.

    Timestamps are still relative to the batch's base timestamp.
    """

    max_timestamp_delta: int
    min_timestamp_delta: int
    has_null_key: bool
    # Whether the offset deltas are 0, 1, 2, ...
    offsets_consecutive: bool


def summarise(block: bytes | memoryview, count: int) -> RecordsSummary:
    """Walk the *count* records that *block* must consist of; raises `InvalidRecord`."""
    assert count > 0
    data = bytes(block) if len(block) < _COPIED_RECORD_BYTES * count else block
    try:
        return _walk(data, len(block), count)
    except IndexError:
        raise InvalidRecord("a record ends beyond the batch") from None


def _walk(data: bytes | memoryview, end: int, count: int) -> RecordsSummary:  # noqa: C901 - speed
    position = index = previous_size = next_try = 0
    deltas: list[int] = []
    has_null_key, consecutive = False, True
    while index < count:
        start = position
        length, position = data[position], position + 1
        if length > 127:
            length, position = length - 128 + (data[position] << 7), position + 1
            if length > 16383:
                length, position = _long_varint(data, start)
        finish = position + (length >> 1)
        if length & 1 or finish > end:
            raise InvalidRecord(f"record {index} is longer than the batch")
        delta, position = data[position + 1], position + 2  # behind the attributes, unused
        if delta > 127:
            delta, position = delta - 128 + (data[position] << 7), position + 1
            if delta > 16383:
                delta, position = _long_varint(data, position - 2, _INT64_BITS)
        deltas.append((delta >> 1) ^ -(delta & 1))
        offset, position = data[position], position + 1
        if offset > 127:
            offset, position = offset - 128 + (data[position] << 7), position + 1
            if offset > 16383:
                offset, position = _long_varint(data, position - 2)
        if offset != index + index:
            consecutive = False
        key, position = data[position], position + 1
        if key > 127:
            key, position = _long_varint(data, position - 1)
        if key & 1:
            has_null_key = True
        else:
            position += key >> 1
        value, position = data[position], position + 1
        if value > 127:
            value, position = value - 128 + (data[position] << 7), position + 1
            if value > 16383:
                value, position = _long_varint(data, position - 2)
        if not value & 1:
            position += value >> 1
        position = _skip_headers(data, position, index) if data[position] else position + 1
        if position != finish:
            raise InvalidRecord(f"record {index} does not end where it says")
        index += 1
        size = finish - start
        if size == previous_size and index >= next_try:
            run = measure_run(data, start, size, index, count - index)
            if run is None:
                next_try = index + index
            else:
                index, position = index + run.records, position + run.records * size
                deltas += (run.max_timestamp_delta, run.min_timestamp_delta)
        previous_size = size
    if position != end:
        raise InvalidRecord(f"{end - position} bytes follow the last of {count} records")
    return RecordsSummary(max(deltas), min(deltas), has_null_key, consecutive)


def _long_varint(
    data: bytes | memoryview, position: int, bits: int = _INT32_BITS
) -> tuple[int, int]:
    """The zig-zag number of any length at *position*, still in zig-zag, and where it ends.

    Bits beyond the type's are dropped, as Java drops them (``ByteUtils.readVarint``).
    """
    number = shift = 0
    while True:
        byte = data[position]
        position += 1
        number |= (byte & 0x7F) << shift
        if byte < 128:
            return number & bits, position
        shift += 7
        if bits >> shift == 0:
            raise InvalidRecord("a number is longer than its type")


def _skip_headers(data: bytes | memoryview, position: int, index: int) -> int:
    """Where the headers whose count stands at *position* end."""
    count, position = _long_varint(data, position)
    if count & 1 or count >> 1 > len(data) - position:
        raise InvalidRecord(f"record {index} has an impossible number of headers")
    for _ in range(count >> 1):
        key, position = _long_varint(data, position)
        if key & 1:
            raise InvalidRecord(f"a header of record {index} has no key")
        value, position = _long_varint(data, position + (key >> 1))
        if not value & 1:
            position += value >> 1
    return position


def record_timestamps_and_keys(block: bytes | memoryview, count: int) -> Iterator[tuple[int, bool]]:
    """Timestamp delta and "has a key" of each record that `summarise` has found well formed."""
    position = 0
    for _ in range(count):
        length, position = _long_varint(block, position)
        finish = position + (length >> 1)
        delta, position = _long_varint(block, position + 1, _INT64_BITS)
        _, position = _long_varint(block, position)
        key, _ = _long_varint(block, position)
        yield (delta >> 1) ^ -(delta & 1), not key & 1
        position = finish


def renumber(block: bytes | memoryview, count: int) -> bytes:
    """The records of a well-formed *block* with the offset deltas 0, 1, 2, ..."""
    parts: list[bytes | memoryview] = []
    position = 0
    for index in range(count):
        length, body = _long_varint(block, position)
        position = body + (length >> 1)
        _, offset_at = _long_varint(block, body + 1, _INT64_BITS)
        _, rest_at = _long_varint(block, offset_at)
        number = varint(index)
        size = position - rest_at + offset_at - body + len(number)
        parts += (varint(size), block[body:offset_at], number, block[rest_at:position])
    return b"".join(parts)
