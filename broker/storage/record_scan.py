"""One pass over the records of a batch: are they well formed, and what must be known about them.

This is where a produce spends its time, so it is built for speed. Records are walked one by one,
with the varints of small numbers decoded in line. When neighbours have the same
size, most often many do; then every byte that gives a record its structure stands at the same
distance in each of them, and a slice with that stride takes the whole column out at once, to be
compared with what it must be. By induction over the length columns each record of such a run
begins where the one before it ends, so this is exact, not a guess.

A wheel may have this module compiled (hatch_build.py): so it imports none that is not.
"""

from __future__ import annotations

from typing import NamedTuple

from broker.storage.record_numbers import INT64_BITS, InvalidRecord, zigzag_at
from broker.storage.record_runs import measure_run

# Bytes are read one by one faster from a copy than from a view. This much is copied at least, and
# of larger blocks those whose records are small.
_COPIED_BYTES = 64 * 1024
_COPIED_RECORD_BYTES = 32 * 1024


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
    try:
        if len(block) <= max(_COPIED_BYTES, count * _COPIED_RECORD_BYTES):
            return _walk(bytes(block), count)
        return _walk_large(block, count)
    except IndexError:
        raise InvalidRecord("a record ends beyond the batch") from None


def _walk(data: bytes, count: int) -> RecordsSummary:  # noqa: C901 - speed
    end, position, index, next_try = len(data), 0, 0, 1
    deltas: list[int] = []
    null_keys, consecutive = 0, True
    while index < count:
        start = position
        length, position = data[position], position + 1
        if length > 127:
            length, position = length - 128 + (data[position] << 7), position + 1
            if length > 16383:
                length, position = length - 16384 + (data[position] << 14), position + 1
                if length > 2097151:
                    length, position = zigzag_at(data, start)
        body, finish = position, position + (length >> 1)
        if length & 1 or finish > end:
            raise InvalidRecord(f"record {index} is longer than the batch")
        delta, position = data[position + 1], position + 2  # behind the attributes, unused
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
                value, position = value - 16384 + (data[position] << 14), position + 1
                if value > 2097151:
                    value, position = zigzag_at(data, value_at)
        headers_at = position = position + (0 if value & 1 else value >> 1)
        position = _skip_headers(data, position, index) if data[position] else position + 1
        if position != finish:
            raise InvalidRecord(f"record {index} does not end where it says")
        index += 1
        if next_try <= index < count:
            shape = (start, body, offset_at, key_at, value_at, headers_at, finish)
            run = measure_run(data, shape, index, count - index)
            if run is None:
                next_try = index + index
            else:
                records, largest, smallest = run
                index, position = index + records, position + records * (finish - start)
                deltas += (largest, smallest)
    if position != end:
        raise InvalidRecord(f"{end - position} bytes follow the last of {count} records")
    return RecordsSummary(max(deltas), min(deltas), null_keys > 0, consecutive)


def _walk_large(block: bytes | memoryview, count: int) -> RecordsSummary:
    """The same where the records lie: they are few for their bytes, and no runs are looked for."""
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
        position = _skip_headers(block, position + (0 if value & 1 else value >> 1), index)
        if position != finish:
            raise InvalidRecord(f"record {index} does not end where it says")
        deltas.append((delta >> 1) ^ -(delta & 1))
        has_null_key = has_null_key or bool(key & 1)
        consecutive = consecutive and offset == index + index
    if position != len(block):
        raise InvalidRecord(f"{len(block) - position} bytes follow the last of {count} records")
    return RecordsSummary(max(deltas), min(deltas), has_null_key, consecutive)


def _skip_headers(data: bytes | memoryview, position: int, index: int) -> int:
    """Where the headers whose count stands at *position* end."""
    count, position = zigzag_at(data, position)
    if count & 1 or count >> 1 > len(data) - position:
        raise InvalidRecord(f"record {index} has an impossible number of headers")
    for _ in range(count >> 1):
        key, position = zigzag_at(data, position)
        if key & 1:
            raise InvalidRecord(f"a header of record {index} has no key")
        value, position = zigzag_at(data, position + (key >> 1))
        if not value & 1:
            position += value >> 1
    return position
