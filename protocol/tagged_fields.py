"""Skips tagged fields whose tags are unknown, and writes the sizes of known ones (KIP-482)."""

from __future__ import annotations

from typing import Final

from protocol.output import Output
from protocol.varints import Malformed, read_uvarint, write_uvarint

# Numbers below this are encoded in one byte, as nearly all tags, counts and sizes of them.
_ONE_BYTE: Final = 1 << 7
TAG_MAX: Final = _ONE_BYTE - 1  # of the tags that are written
# Kafka skips any number. An unknown field has two bytes or more, and takes about 1 µs.
TAGS_PER_STRUCT_MAX: Final = TAG_MAX


def skip_tags(buf: memoryview, pos: int) -> int:
    """Return where the tagged fields at *pos* end, all of which are unknown; raises `Malformed`."""
    count, pos = read_tag_count(buf, pos)
    for _ in range(count):
        _, pos = read_uvarint(buf, pos)
        pos = skip_sized(buf, pos)
    return pos


def read_tag_count(buf: memoryview, pos: int) -> tuple[int, int]:
    """Read how many tagged fields follow; a negative number means none. Raises `Malformed`."""
    count, pos = read_uvarint(buf, pos)
    if count > TAGS_PER_STRUCT_MAX:
        raise Malformed(f"more than {TAGS_PER_STRUCT_MAX} tagged fields in one struct")
    return count, pos


def skip_sized(buf: memoryview, pos: int) -> int:
    """Return where the bytes whose size is at *pos* end; raises `Malformed`."""
    size, pos = read_uvarint(buf, pos)
    if not 0 <= size <= len(buf) - pos:
        raise Malformed("a tagged field extends beyond the end")
    return pos + size


def end_sized(out: Output, start: int) -> None:
    """Write the size of what follows position *start*, where one byte is reserved for it."""
    size = len(out) - start - 1
    if size < _ONE_BYTE:
        out[start] = size
        return
    prefix = bytearray()
    write_uvarint(prefix, size)
    out[start : start + 1] = prefix
