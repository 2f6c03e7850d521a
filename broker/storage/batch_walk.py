"""Walking over the batches of a segment's file, one by one.

Both ways go no further than the bytes allow, and check nothing else: `hop` looks at what it needs
to find the next batch, `walk` reads all.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct

from broker.storage.disk import DiskFile
from protocol.corrupt_records import CorruptRecords
from protocol.record_batch.header import (
    HEADER_BYTES,
    LOG_OVERHEAD,
    NO_TIMESTAMP,
    BatchHeader,
    read_header,
)

_BASE_LENGTH_DELTA = Struct(">qi11xi")
_LENGTH_MIN = HEADER_BYTES - LOG_OVERHEAD
_HOP_BYTES = 8192
_WALK_BYTES = 1024 * 1024


def hop(file: DiskFile, position: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """Position, size, base offset and last offset of each batch from *position* on.

    Raises `CorruptRecords` where a batch claims to be shorter than its header.
    """
    needed = _BASE_LENGTH_DELTA.size
    while position + needed <= end:
        chunk = file.read(min(_HOP_BYTES, end - position), position)
        if len(chunk) < needed:
            raise no_batch(file, position)
        at = 0
        while at + needed <= len(chunk):
            base_offset, length, last_offset_delta = _BASE_LENGTH_DELTA.unpack_from(chunk, at)
            if length < _LENGTH_MIN:
                raise no_batch(file, position + at)
            size = length + LOG_OVERHEAD
            yield position + at, size, base_offset, base_offset + last_offset_delta
            at += size
        position += at


def ends_with(file: DiskFile, position: int, last_offset: int) -> bool:
    """Whether there may be a batch at *position* that ends with *last_offset*."""
    head = file.read(_BASE_LENGTH_DELTA.size, position) if position >= 0 else b""
    if len(head) < _BASE_LENGTH_DELTA.size:
        return False
    base_offset, length, last_offset_delta = _BASE_LENGTH_DELTA.unpack(head)
    return bool(length >= _LENGTH_MIN and base_offset + last_offset_delta == last_offset)


def walk(file: DiskFile, position: int, end: int) -> Iterator[tuple[int, BatchHeader, memoryview]]:
    """Each whole batch from *position* on: its position, header and bytes.

    Ends before a batch that is not all there or claims to be shorter than its header.
    """
    while end - position >= HEADER_BYTES:
        chunk = memoryview(file.read(min(_WALK_BYTES, end - position), position))
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
    """What to raise where there must be a batch and is none."""
    return CorruptRecords(f"{file.path}: there is no batch at position {position}")


def indexed_timestamp(header: BatchHeader) -> int:
    """The largest timestamp of a batch's records; compaction may have left none of them."""
    return header.max_timestamp if header.records_count else NO_TIMESTAMP
