"""Runs of records of one shape, verified a column at a time.

Given a record that has been walked, its successors are taken to have its size, and that is checked:
the bytes that give it its structure (lengths, counts) must be the same in each of them; the offset
delta must count on; the timestamp delta may vary as long as it takes as many bytes. Each such byte
is a column, cut out of all records at once by a slice whose stride is the record's size, and
compared as a whole. Where a column first differs the run ends; it may be shorter than it could be.
"""

from __future__ import annotations

from protocol.record_batch.numbers import zigzag_at

# A shorter run is walked record by record in less time.
_RUN_MIN = 8
# Records with more headers are walked one by one: each header makes two columns.
_HEADERS_MAX = 16

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

# Where a record begins, where in it what follows its length, the offset delta, the lengths of key
# and value and the number of headers stand, and where it ends.
Shape = tuple[int, int, int, int, int, int, int]

# Of records that follow a template: how many, their largest and their smallest timestamp delta.
Run = tuple[int, int, int]


def measure_run(data: bytes, shape: Shape, index: int, limit: int) -> Run | None:
    """How many of up to *limit* records behind the one of this *shape* look like it.

    That one, the template, is well formed, and comes before the record numbered *index*. None if
    they are too few to be worth it.
    """
    template, body, offset_at, key_at, value_at, headers_at, first = shape
    size = first - template
    limit = min(limit, (len(data) - first) // size)
    # Before anything dearer: do the next few begin alike?
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
    limit = _counting_on(data, offset_at + size, size, key_at - offset_at, index, limit)
    if limit < _RUN_MIN:
        return None
    return _timestamps(data, body + 1 + size, size, offset_at - body - 1, limit)


def _rest_of_number(data: bytes, at: int) -> range:
    """The bytes of the varint at *at* behind its first."""
    end = at
    while data[end] > 127:
        end += 1
    return range(at + 1, end + 1)


def _headers(data: bytes, at: int) -> list[int]:
    """The bytes of the lengths in the headers whose number stands at *at*, and the rest of that."""
    fixed = [*_rest_of_number(data, at)]
    count, at = zigzag_at(data, at)
    for _ in range(count):  # twice as many, in zig-zag: keys and values
        fixed += (at, *_rest_of_number(data, at))
        length, at = zigzag_at(data, at)
        at += 0 if length & 1 else length >> 1
    return fixed


def _same(data: bytes, columns: list[int], size: int, limit: int) -> int:
    """How many records behind the template have its bytes in these columns."""
    for at in columns:
        byte = data[at]
        column = data[at + size : at + 1 + limit * size : size]
        if column.count(byte) != limit:
            limit -= len(column.lstrip(bytes((byte,))))
            if not limit:
                break
    return limit


def _counting_on(data: bytes, start: int, size: int, width: int, index: int, limit: int) -> int:
    """How many records have the offset deltas *index*, *index* + 1, ... in *width* bytes."""
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
    """The run with its largest and smallest timestamp delta, all in *width* bytes."""
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
    # Two bytes of more vary; numbers are not negative, or the low byte would be odd.
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
    """What the third byte and those behind it make, and how many records agree on it."""
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
