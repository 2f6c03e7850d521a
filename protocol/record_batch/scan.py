"""Checks in one pass that the records of a batch are well formed, and summarises them.

A produce of many records spends most of its time here. Records are checked one by one, with the
varints of small numbers decoded inline. Adjacent records often have the same size; then every byte
that defines the structure of a record is at the same distance in each of them, and one slice with
that stride extracts a column, which is compared as a whole. By induction over the length columns,
each record of such a run begins where the previous one ends, so the result is exact.

The records of a long compressed batch are checked while they are decompressed, piece by piece.

A wheel may have this module compiled, so it imports only compiled ones (hatch_build.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Final

from protocol.lazy_dataclass import dataclass
from protocol.record_batch.numbers import INT64_BITS, InvalidRecord, zigzag_at
from protocol.record_batch.runs import measure_headers, measure_run

# Single bytes are read faster from bytes than from a memoryview. Blocks up to this size are copied,
# and larger ones if their records are small.
_COPIED_BYTES: Final = 64 * 1024
_COPIED_RECORD_BYTES: Final = 32 * 1024

# The maximum bytes of a record's length.
_LENGTH_BYTES_MAX: Final = 5
# The maximum size of a record in pieces. In Kafka it is 2 GB.
RECORD_BYTES_MAX: Final = 128 * 1024 * 1024
# The number of headers in a run, at least.
_HEADER_RUN_MIN: Final = 16
# No limit: every header has at least two bytes.
HEADERS_MAX: Final = 1 << 62


class TooManyHeaders(Exception):  # noqa: N818 - it names what the batch has
    """A batch has more headers than the caller allows."""


@dataclass(slots=True)
class RecordsSummary:
    """A summary of the records of a batch; timestamps are relative to the base timestamp."""

    max_timestamp_delta: int
    min_timestamp_delta: int
    has_null_key: bool
    # Whether the offset deltas are 0, 1, 2, ...
    offsets_consecutive: bool


def summarise(
    block: bytes | memoryview, count: int, headers_max: int = HEADERS_MAX
) -> RecordsSummary:
    """Summarise the *count* records of which *block* must consist.

    Raises `InvalidRecord`, and `TooManyHeaders` if they have more than *headers_max* headers.
    """
    assert count > 0
    deltas: list[int] = []
    try:
        if are_large(block, count):
            return _walk_large(block, count, headers_max)
        data = bytes(block)
        _, position, _, has_null_key, consecutive = _walk(data, 0, count, True, deltas, headers_max)
    except IndexError:
        raise _out_of_bounds() from None
    if position != len(data):
        raise _left_over(len(data) - position, count)
    return RecordsSummary(max(deltas), min(deltas), has_null_key, consecutive)


def are_large(block: bytes | memoryview, count: int) -> bool:
    """Whether the average record is so large that `summarise` does not copy the block."""
    return len(block) > max(_COPIED_BYTES, count * _COPIED_RECORD_BYTES)


def summarise_pieces(pieces: Iterable[bytes | memoryview], count: int) -> RecordsSummary:
    """Summarise the *count* records of which the joined *pieces* must consist.

    One piece and one record are in memory at a time. Raises `InvalidRecord`.
    """
    assert count > 0
    deltas: list[int] = []
    held: list[bytes | memoryview] = []
    held_bytes = wanted_bytes = index = 0
    has_null_key, consecutive = False, True
    for piece in chain(pieces, (None,)):
        if piece is not None:
            held.append(piece)
            held_bytes += len(piece)
            if held_bytes <= wanted_bytes:
                continue
        data = b"".join(held)
        try:
            index, position, wanted_bytes, keyless, counting = _walk(
                data, index, count, piece is None, deltas, HEADERS_MAX
            )
        except IndexError:
            raise _out_of_bounds() from None
        has_null_key, consecutive = has_null_key or keyless, consecutive and counting
        deltas = [max(deltas), min(deltas)] if deltas else []
        held = [data[position:]]
        held_bytes = len(data) - position
        if index == count and held_bytes:
            raise _left_over(held_bytes, count)
    return RecordsSummary(max(deltas), min(deltas), has_null_key, consecutive)


def _out_of_bounds() -> InvalidRecord:
    return InvalidRecord("a record ends beyond the batch")


def _left_over(left_bytes: int, count: int) -> InvalidRecord:
    return InvalidRecord(f"{left_bytes} bytes follow the last of {count} records")


# The state of a check: index and position of the next record; if that is incomplete, a number of
# bytes that is too small for it; whether any key is null; whether offset deltas are consecutive.
_Walked = tuple[int, int, int, bool, bool]


def _walk(  # noqa: C901 - speed
    data: bytes, index: int, count: int, whole: bool, deltas: list[int], headers_left: int
) -> _Walked:
    """Check the complete records from *index* on; append their timestamp deltas to *deltas*."""
    end, position, next_try = len(data), 0, index + 1
    null_keys, consecutive, wanted_bytes = 0, True, 0
    length_end = end + 1 if whole else end - _LENGTH_BYTES_MAX
    while index < count and position < length_end:
        start = position
        length, position = data[position], position + 1
        if length > 127:
            length, position = length - 128 + (data[position] << 7), position + 1
            if length > 16383:
                length, position = zigzag_at(data, start)
        body, finish = position, position + (length >> 1)
        if length & 1 or finish > end:
            if whole or length & 1 or finish - start > RECORD_BYTES_MAX:
                raise InvalidRecord(f"record {index} is longer than the batch")
            position, wanted_bytes = start, finish - start - 1
            break
        delta, position = data[position + 1], position + 2  # after the unused attributes
        if delta > 127:
            delta, position = delta - 128 + (data[position] << 7), position + 1
            if delta > 16383:
                delta, position = zigzag_at(data, position - 2, INT64_BITS)
        deltas.append((delta >> 1) ^ -(delta & 1))
        offset, offset_at, position = data[position], position, position + 1
        if offset > 127:
            offset, position = offset - 128 + (data[position] << 7), position + 1
            if offset > 16383:
                offset, position = zigzag_at(data, position - 2)
        consecutive = consecutive and offset == index + index
        key, key_at, position = data[position], position, position + 1
        if key > 127:
            key, position = zigzag_at(data, position - 1)
        null_keys += key & 1
        position += 0 if key & 1 else key >> 1
        value, value_at, position = data[position], position, position + 1
        if value > 127:
            value, position = value - 128 + (data[position] << 7), position + 1
            if value > 16383:
                value, position = zigzag_at(data, value_at)
        headers_at = position = position + (0 if value & 1 else value >> 1)
        if data[position]:
            headers_left, position = _skip_headers(data, position, index, headers_left)
        else:
            position += 1
        if position != finish:
            raise InvalidRecord(f"record {index} does not end where it says")
        index += 1
        if next_try <= index < count:
            shape = (start, body, offset_at, key_at, value_at, headers_at, finish)
            run = measure_run(data, shape, index, count - index)
            next_try = index + index
            if run is not None:
                index, position = index + run[0], position + run[0] * (finish - start)
                next_try = index + 1
                deltas += run[1:]
    return index, position, wanted_bytes, null_keys > 0, consecutive


def _walk_large(block: bytes | memoryview, count: int, headers_left: int) -> RecordsSummary:
    """Check large records without a copy and without runs."""
    position, deltas = 0, []
    has_null_key, consecutive = False, True
    for index in range(count):
        length, body = zigzag_at(block, position)
        finish = body + (length >> 1)
        if length & 1 or finish > len(block):
            raise InvalidRecord(f"record {index} is longer than the batch")
        delta, position = zigzag_at(block, body + 1, INT64_BITS)
        offset, position = zigzag_at(block, position)
        key, position = zigzag_at(block, position)
        value, position = zigzag_at(block, position + (0 if key & 1 else key >> 1))
        position += 0 if value & 1 else value >> 1
        headers_left, position = _skip_headers(block, position, index, headers_left)
        if position != finish:
            raise InvalidRecord(f"record {index} does not end where it says")
        deltas.append((delta >> 1) ^ -(delta & 1))
        has_null_key = has_null_key or bool(key & 1)
        consecutive = consecutive and offset == index + index
    if position != len(block):
        raise _left_over(len(block) - position, count)
    return RecordsSummary(max(deltas), min(deltas), has_null_key, consecutive)


def _skip_headers(
    data: bytes | memoryview, position: int, index: int, headers_left: int
) -> tuple[int, int]:
    """Check the headers whose count is at *position*; returns *headers_left* and their end."""
    count, position = zigzag_at(data, position)
    if count & 1 or count >> 1 > len(data) - position:
        raise InvalidRecord(f"record {index} has an impossible number of headers")
    headers_left -= count >> 1
    if headers_left < 0:
        raise TooManyHeaders
    left = next_run = count >> 1
    while left:
        key_at = position
        key, position = data[position], position + 1
        if key > 127:
            key, position = zigzag_at(data, key_at)
        if key & 1:
            raise InvalidRecord(f"a header of record {index} has no key")
        position += key >> 1
        value_at = position
        value, position = data[position], position + 1
        if value > 127:
            value, position = zigzag_at(data, value_at)
        if not value & 1:
            position += value >> 1
        left -= 1
        if _HEADER_RUN_MIN <= left <= next_run:
            equal = measure_headers(data, (key_at, value_at, position), left)
            left -= equal
            position += equal * (position - key_at)
            next_run = left if equal else left - _HEADER_RUN_MIN
    return headers_left, position
