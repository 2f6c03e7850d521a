"""Iterates over the batches of a segment's file (Kafka's ``FileLogInputStream``).

`extents_in` reads only the bytes that it needs to find the next batch, `batches_in` reads all. Both
check that a batch can have the size in its header, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from broker.storage.files.disk import DiskFile
from protocol.corrupt_records import CorruptRecords
from protocol.record_batch.header import (
    HEADER_BYTES,
    LOG_OVERHEAD,
    BatchHeader,
    read_header,
)
from protocol.record_batch.peek import EXTENT, EXTENT_BYTES, EXTENT_LENGTH_MIN, extents

_EXTENTS_READ_BYTES: Final = 8192
_BATCHES_READ_BYTES: Final = 1024 * 1024


def extents_in(file: DiskFile, position: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield position, size, base offset and last offset of each batch from *position* on.

    The last batch may extend beyond *end*. Raises `CorruptRecords` at a batch whose size is below
    that of a header, and OSError.
    """
    while position + EXTENT_BYTES <= end:
        chunk = file.read(min(_EXTENTS_READ_BYTES, end - position), position)
        if len(chunk) < EXTENT_BYTES:
            raise no_batch(file, position)
        # As `extents` does, without a second generator: this is the slow part of a cold read.
        at = 0
        while at + EXTENT_BYTES <= len(chunk):
            base_offset, length, last_offset_delta = EXTENT.unpack_from(chunk, at)
            if length < EXTENT_LENGTH_MIN:
                raise no_batch(file, position + at)
            size = length + LOG_OVERHEAD
            yield position + at, size, base_offset, base_offset + last_offset_delta
            at += size
        position += at


def ends_with(file: DiskFile, position: int, last_offset: int) -> bool:
    """Whether the bytes at *position* can be a batch whose last offset is *last_offset*."""
    head = file.read(EXTENT_BYTES, position) if position >= 0 else b""
    try:
        return any(last == last_offset for _, _, _, last in extents(head))
    except CorruptRecords:
        return False


def batches_in(
    file: DiskFile, position: int, end: int
) -> Iterator[tuple[int, BatchHeader, memoryview]]:
    """Yield position, header and bytes of each complete batch from *position* on.

    Ends before a batch that is incomplete or whose size is below that of a header. Raises OSError.
    """
    while end - position >= HEADER_BYTES:
        chunk = memoryview(file.read(min(_BATCHES_READ_BYTES, end - position), position))
        at = size = 0
        while len(chunk) - at >= HEADER_BYTES:
            header = read_header(chunk, at)
            size = header.size
            if size < HEADER_BYTES or position + at + size > end:
                return
            if at + size > len(chunk):
                break
            yield position + at, header, chunk[at : at + size]
            at += size
        if not at:
            batch = memoryview(file.read(size, position))
            if len(batch) < HEADER_BYTES or len(batch) < size:
                return
            yield position, header, batch
            at = size
        position += at


def no_batch(file: DiskFile, position: int) -> CorruptRecords:
    """The exception for a position at which there must be a batch and is none."""
    return CorruptRecords(f"{file.path}: there is no batch at position {position}")
