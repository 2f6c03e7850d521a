"""Checks runs of records of the same shape, one column at a time.

The records after a checked one, the template, are assumed to have its size, which is then verified:
the bytes that define the structure (lengths, counts) must be the same in each record, the offset
deltas must be consecutive, and the timestamp deltas must have the same number of bytes. Each such
byte is a column: a slice of all records whose stride is the size of a record, which is compared as
a whole. The run ends where a column first differs; it may be shorter than possible.
"""

from __future__ import annotations

from typing import Final

from protocol.record_batch.numbers import zigzag_at

# Fewer records are checked faster one by one.
_RUN_MIN: Final = 8
# Records with more headers are checked one by one: each header has two columns.
_HEADERS_MAX: Final = 16
# The headers that are compared at once, at first and at most; the latter take less than 1 ms.
_HEADERS_AT_FIRST: Final = 16
_HEADERS_AT_ONCE: Final = 1 << 16

_ASCII: Final = bytes(range(128))
_CONTINUED: Final = bytes(range(128, 256))
_EVEN_CONTINUED: Final = bytes(range(128, 256, 2))
# For each byte, all bytes up to it, and from it on: their deletion leaves larger or smaller ones.
_BYTES: Final = bytes(range(256))
_UP_TO: Final = tuple([_BYTES[: top + 1] for top in range(256)])
_FROM: Final = tuple([_BYTES[bottom:] for bottom in range(256)])
# Maps one-byte zig-zag varints, -64 to 63, to bytes 0 to 127 in the same order.
_SORTABLE: Final = bytes(((zigzag >> 1) ^ -(zigzag & 1)) + 64 for zigzag in range(128)) + bytes(128)

# Offset deltas as varints: how many fit into one byte and into two, and their columns. They are not
# negative, so the zig-zag number is twice the delta.
_ONE: Final = 1 << 6
_TWO: Final = 1 << 13
_ALONE: Final = bytes(delta << 1 for delta in range(_ONE))
_LOW: Final = bytes(delta << 1 & 0x7F | 0x80 for delta in range(_ONE)) * (2 * _TWO // _ONE)
_TOP: Final = b"".join([_BYTES[top : top + 1] * _ONE for top in range(128)])
_MIDDLE: Final = b"".join([_BYTES[top : top + 1] * _ONE for top in range(128, 256)])

# The positions of a record, of what follows its length, of its offset delta, of the lengths of key
# and value, of the number of headers, and of its end.
Shape = tuple[int, int, int, int, int, int, int]

# The number of records after a template, their maximum and minimum timestamp delta.
Run = tuple[int, int, int]


def measure_run(data: bytes, shape: Shape, index: int, limit: int) -> Run | None:
    """Find up to *limit* records of *shape* after the template; None if there are too few.

    The template is the well-formed record before the one with *index*.
    """
    template, body, offset_at, key_at, value_at, headers_at, first = shape
    size = first - template
    limit = min(limit, (len(data) - first) // size)
    # The cheapest check first: do the next few begin with the same byte?
    begin = data[first : first + _RUN_MIN * size : size]
    if limit < _RUN_MIN or begin.count(data[template]) < _RUN_MIN:
        return None
    fixed = [*range(template, body), key_at, value_at, headers_at]
    if data[key_at] > 127:
        fixed += _rest_of_number(data, key_at)
    if data[value_at] > 127:
        fixed += _rest_of_number(data, value_at)
    if data[headers_at]:
        if data[headers_at] > _HEADERS_MAX << 1:
            return None
        fixed += _headers(data, headers_at)
    limit = _same(data, fixed, size, limit)
    limit = _consecutive(data, offset_at + size, size, key_at - offset_at, index, limit)
    if limit < _RUN_MIN:
        return None
    return _timestamps(data, body + 1 + size, size, offset_at - body - 1, limit)


def measure_headers(data: bytes | memoryview, shape: tuple[int, int, int], limit: int) -> int:
    """The number of headers, up to *limit*, that have the lengths of the header before them.

    *shape* is where the key and the value of that header begin, and where it ends. Four times as
    many are compared at once as have been equal so far, so that short runs cost little.
    """
    key_at, value_at, end = shape
    if data[key_at] > 127 or data[value_at] > 127:
        return 0
    size = end - key_at
    limit = min(limit, (len(data) - end) // size)
    found, at_once = 0, _HEADERS_AT_FIRST
    while found < limit:
        wanted = min(at_once, limit - found)
        equal = _equal_headers(data, key_at, value_at, end + found * size, size, wanted)
        found += equal
        if equal < wanted:
            break
        at_once = min(4 * at_once, _HEADERS_AT_ONCE)
    return found


def _equal_headers(
    data: bytes | memoryview, key_at: int, value_at: int, start: int, size: int, limit: int
) -> int:
    """The number of headers from *start* on, up to *limit*, with the lengths of the template."""
    for at in (key_at, value_at):
        first = start + at - key_at
        column = bytes(data[first : first + limit * size : size])
        limit -= len(column.lstrip(bytes((data[at],))))
        if not limit:
            break
    return limit


def _rest_of_number(data: bytes, at: int) -> range:
    """The positions of the bytes of the varint at *at*, without its first."""
    end = at
    while data[end] > 127:
        end += 1
    return range(at + 1, end + 1)


def _headers(data: bytes, at: int) -> list[int]:
    """The positions of the header count's rest and of the lengths in the headers at *at*."""
    fixed = [*_rest_of_number(data, at)]
    count, at = zigzag_at(data, at)
    for _ in range(count):  # twice as many, in zig-zag: keys and values
        fixed += (at, *_rest_of_number(data, at))
        length, at = zigzag_at(data, at)
        at += 0 if length & 1 else length >> 1
    return fixed


def _same(data: bytes, columns: list[int], size: int, limit: int) -> int:
    """The number of records after the template with the same bytes in *columns*."""
    for at in columns:
        byte = data[at]
        column = data[at + size : at + 1 + limit * size : size]
        if column.count(byte) != limit:
            limit -= len(column.lstrip(bytes((byte,))))
            if not limit:
                break
    return limit


def _consecutive(data: bytes, start: int, size: int, width: int, index: int, limit: int) -> int:
    """The number of records with the offset deltas *index*, *index* + 1, ... in *width* bytes."""
    if width == 1:
        limit = min(limit, _ONE - index)
        wanted = [_ALONE[index : index + limit]]
    elif width == 2:
        limit = min(limit, _TWO - index)
        low = index % _ONE
        wanted = [_LOW[low : low + limit], _TOP[index : index + limit]]
    else:
        limit = min(limit, _TWO - index % _TWO)
        low, middle, top = index % _ONE, index % _TWO, bytes((index >> 13 & 0x7F,)) * limit
        wanted = [_LOW[low : low + limit], _MIDDLE[middle : middle + limit], top]
    if limit <= 0 or width > 3 or index >> 13 > 0x7F:
        return 0
    end = start + limit * size
    for column, expected in enumerate(wanted):
        if data[start + column : end : size] != expected:
            return 0
    return limit


def _timestamps(data: bytes, start: int, size: int, width: int, limit: int) -> Run | None:
    """The run of timestamp deltas of *width* bytes, with their maximum and minimum."""
    end = start + limit * size
    lows = data[start:end:size]
    if width == 1:
        if not lows.isascii():
            limit -= len(lows.lstrip(_ASCII))
            lows = lows[:limit]
        if not lows:
            return None
        lows = lows.translate(_SORTABLE)
        return limit, _largest(lows) - 64, _smallest(lows) - 64
    # Only the two lowest bytes may vary; even low bytes are those of numbers that are not negative.
    if lows.translate(None, _EVEN_CONTINUED):
        limit -= len(lows.lstrip(_EVEN_CONTINUED))
    middles = data[start + 1 : end : size]
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
    return limit, largest >> 1, smallest >> 1


def _upper_bytes(
    data: bytes, start: int, size: int, width: int, middles: bytes, limit: int
) -> tuple[int, int]:
    """The number in the third and later bytes, and how many records have the same."""
    limit = min(limit, len(middles) - len(middles.lstrip(_CONTINUED)))
    columns = tuple(range(2, width))
    upper = 0
    for column in reversed(columns):
        upper = upper << 7 | data[start + column] & 0x7F
    if limit > 1:
        limit = 1 + _same(data, [start + column for column in columns], size, limit - 1)
    return upper, limit


def _pair(middle: int, low: int) -> int:
    return (middle & 0x7F) << 7 | low & 0x7F


def _largest_pair(middles: bytes, lows: bytes) -> tuple[int, int]:
    """The largest number in two columns; fast if the numbers increase."""
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
    """The largest byte; fast if it is the last one."""
    last = column[-1]
    larger = column.translate(None, _UP_TO[last])
    return max(larger) if larger else last


def _smallest(column: bytes) -> int:
    first = column[0]
    smaller = column.translate(None, _FROM[first])
    return min(smaller) if smaller else first
