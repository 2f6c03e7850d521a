"""Runs of records of one shape, verified a column at a time.

Given a record that has been walked, and that its successors have the same size: the bytes that give
it its structure (lengths, counts) must be the same in each successor; the offset delta must count
on; the timestamp delta may vary as long as it takes as many bytes. Each such byte is a column, cut
out of all records at once by a slice whose stride is the record's size, and compared as a whole.
Where a column first differs the run ends; a run may always be shorter than it could be.
"""

from __future__ import annotations

from typing import NamedTuple

# A shorter run is walked record by record in less time.
_RUN_MIN = 8

_ASCII = bytes(range(128))
_CONTINUED = bytes(range(128, 256))
_EVEN_CONTINUED = bytes(range(128, 256, 2))
# For each byte, all bytes up to it, and from it on: deleting them leaves what is larger, smaller.
_UP_TO = tuple(bytes(range(top + 1)) for top in range(256))
_FROM = tuple(bytes(range(bottom, 256)) for bottom in range(256))
# A one-byte zig-zag varint, -64 to 63, as the byte 0 to 127 that sorts like it.
_SORTABLE = bytes(((zigzag >> 1) ^ -(zigzag & 1)) + 64 for zigzag in range(128)) + bytes(128)

# Offset deltas as varints: how many fit in one byte and in two, and the columns they make. They are
# never negative here, so the zig-zag number is twice the delta.
_ONE, _TWO = 1 << 6, 1 << 13
_ALONE = bytes(delta << 1 for delta in range(_ONE))
_LOW = bytes(delta << 1 & 0x7F | 0x80 for delta in range(_ONE)) * (2 * _TWO // _ONE)
_TOP = bytes(delta >> 6 & 0x7F for delta in range(_TWO))
_MIDDLE = bytes(top | 0x80 for top in _TOP)


class Shape(NamedTuple):
    """Where a record has its parts, in bytes from its beginning.

    ``fixed`` are the bytes that must be the same in each record of a run.
    """

    timestamp: int
    offset: int
    rest: int
    fixed: tuple[int, ...]


class Run(NamedTuple):
    """Records that follow a template and differ from it in offset and timestamp only."""

    records: int
    max_timestamp_delta: int
    min_timestamp_delta: int


def measure_run(
    data: bytes | memoryview, template: int, size: int, index: int, limit: int
) -> Run | None:
    """How many of up to *limit* records behind the one at *template* look like it.

    The template is well formed, *size* bytes long, and the record before the one numbered *index*.
    None if they are too few to be worth it.
    """
    first = template + size
    limit = min(limit, (len(data) - first) // size)
    # Before anything dearer: do the next few begin alike?
    begin = bytes(data[first : first + _RUN_MIN * size : size])
    if limit < _RUN_MIN or begin != bytes(data[template : template + 1]) * _RUN_MIN:
        return None
    shape = _shape(data, template)
    limit = _same(data, template, size, shape.fixed, limit)
    start, width = first + shape.offset, shape.rest - shape.offset
    limit = _counting_on(data, start, size, width, index, limit)
    if limit < _RUN_MIN:
        return None
    return _timestamps(data, first + shape.timestamp, size, shape.offset - shape.timestamp, limit)


def _shape(data: bytes | memoryview, start: int) -> Shape:
    """The shape of the well-formed record at *start*."""
    timestamp = _behind(data, start) + 1
    offset = _behind(data, timestamp)
    rest = _behind(data, offset)
    fixed = [*range(start, timestamp - 1)]
    at = rest
    for _ in range(2):
        at = _field(data, at, fixed)
    headers_count, after = _number(data, at)
    fixed += range(at, after)
    at = after
    for _ in range(2 * headers_count):
        at = _field(data, at, fixed)
    return Shape(timestamp - start, offset - start, rest - start, tuple(at - start for at in fixed))


def _same(
    data: bytes | memoryview, template: int, size: int, columns: tuple[int, ...], limit: int
) -> int:
    """How many records have the template's bytes in these columns."""
    first = template + size
    end = first + limit * size
    for column in columns:
        byte = data[template + column : template + column + 1]
        found = bytes(data[first + column : end : size])
        if found != bytes(byte) * limit:
            limit -= len(found.lstrip(byte))
            if not limit:
                break
            end = first + limit * size
    return limit


def _counting_on(
    data: bytes | memoryview, start: int, size: int, width: int, index: int, limit: int
) -> int:
    """How many records have the offset deltas *index*, *index* + 1, ... in *width* bytes."""
    if width == 1:
        limit = min(limit, _ONE - index)
        wanted = [_ALONE[index : index + limit]]
    elif width == 2:
        limit = min(limit, _TWO - index)
        wanted = [_LOW[index % _ONE :][:limit], _TOP[index : index + limit]]
    else:
        limit = min(limit, _TWO - index % _TWO)
        top = bytes((index >> 13 & 0x7F,)) * limit
        wanted = [_LOW[index % _ONE :][:limit], _MIDDLE[index % _TWO :][:limit], top]
    if limit <= 0 or width > 3 or index >> 13 > 0x7F:
        return 0
    end = start + limit * size
    for column, expected in enumerate(wanted):
        if bytes(data[start + column : end : size]) != expected:
            return 0
    return limit


def _timestamps(
    data: bytes | memoryview, start: int, size: int, width: int, limit: int
) -> Run | None:
    """The run with its largest and smallest timestamp delta, all in *width* bytes."""
    end = start + limit * size
    lows = bytes(data[start:end:size])
    if width == 1:
        if not lows.isascii():
            limit -= len(lows.lstrip(_ASCII))
            lows = lows[:limit]
        if not lows:
            return None
        lows = lows.translate(_SORTABLE)
        return Run(limit, _largest(lows) - 64, _smallest(lows) - 64)
    # Two bytes of more vary; numbers are not negative, or the low byte would be odd.
    if lows.translate(None, _EVEN_CONTINUED):
        limit -= len(lows.lstrip(_EVEN_CONTINUED))
    middles = bytes(data[start + 1 : end : size])
    if width == 2:
        if not middles.isascii():
            limit -= len(middles[:limit].lstrip(_ASCII))
        upper = 0
    else:
        upper, limit = _upper_bytes(data, start, size, width, middles, limit)
    if limit <= 0:
        return None
    lows, middles = lows[:limit], middles[:limit]
    largest = upper << 14 | _pair(*_largest_pair(middles, lows))
    smallest = upper << 14 | _pair(*_smallest_pair(middles, lows))
    return Run(limit, largest >> 1, smallest >> 1)


def _upper_bytes(
    data: bytes | memoryview, start: int, size: int, width: int, middles: bytes, limit: int
) -> tuple[int, int]:
    """What the third byte and those behind it make, and how many records agree on it."""
    limit = min(limit, len(middles) - len(middles.lstrip(_CONTINUED)))
    columns = tuple(range(2, width))
    upper = 0
    for column in reversed(columns):
        upper = upper << 7 | data[start + column] & 0x7F
    if limit > 1:
        limit = 1 + _same(data, start, size, columns, limit - 1)
    return upper, limit


def _pair(middle: int, low: int) -> int:
    return (middle & 0x7F) << 7 | low & 0x7F


def _largest_pair(middles: bytes, lows: bytes) -> tuple[int, int]:
    """The largest of the numbers that two columns make; quick if they grow."""
    top = _largest(middles)
    first = middles.index(top)
    if middles.count(top) == len(middles) - first:
        return top, _largest(lows[first:])
    return max(zip(middles, lows, strict=True))


def _smallest_pair(middles: bytes, lows: bytes) -> tuple[int, int]:
    bottom = _smallest(middles)
    end = middles.rindex(bottom) + 1
    if middles.count(bottom) == end:
        return bottom, _smallest(lows[:end])
    return min(zip(middles, lows, strict=True))


def _largest(column: bytes) -> int:
    """The largest byte; quick if it is the last one."""
    last = column[-1]
    larger = column.translate(None, _UP_TO[last])
    return max(larger) if larger else last


def _smallest(column: bytes) -> int:
    first = column[0]
    smaller = column.translate(None, _FROM[first])
    return min(smaller) if smaller else first


def _behind(data: bytes | memoryview, at: int) -> int:
    """Where the varint at *at* ends."""
    while data[at] > 127:
        at += 1
    return at + 1


def _number(data: bytes | memoryview, at: int) -> tuple[int, int]:
    """The varint at *at* without its zig-zag, for one that is not negative, and where it ends."""
    number = shift = 0
    while (byte := data[at]) > 127:
        number |= (byte & 0x7F) << shift
        shift += 7
        at += 1
    return (number | byte << shift) >> 1, at + 1


def _field(data: bytes | memoryview, at: int, fixed: list[int]) -> int:
    """Where the bytes with their length before them end; the length's bytes join *fixed*."""
    length, after = _number(data, at)
    fixed += range(at, after)
    is_null = data[at] & 1
    return after if is_null else after + length
