"""The record batches that a share fetch has read: their offsets, and which of them were aborted.

Only headers are read, and only as far as records may be acquired: a read may have megabytes of
which a member gets a few hundred records.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from broker.storage.indexes.transaction_index import AbortedTxn
from broker.storage.segments.file_slice import FileSlice
from protocol.lazy_dataclass import dataclass
from protocol.output import BUFFERS, Splice
from protocol.record_batch.header import HEADER_BYTES, read_header
from protocol.record_batch.peek import extents

# A chunk of a file in which headers are looked for; batches with one record are smaller.
_CHUNK_BYTES: Final = 16 * 1024


@dataclass(slots=True)
class FetchedBatch:
    """A batch that was read: where it is in the records, and its offsets."""

    position: int
    size: int
    base_offset: int
    last_offset: int


def fetched_batches(records: Splice, last_offset: int) -> list[FetchedBatch]:
    """The complete batches at the beginning of *records* that begin at or before *last_offset*."""
    found = []
    for position, size, base_offset, last in _extents(records):
        if base_offset > last_offset or position + size > len(records):
            break
        found.append(FetchedBatch(position, size, base_offset, last))
    return found


def _extents(records: Splice) -> Iterator[tuple[int, int, int, int]]:
    if isinstance(records, BUFFERS):
        yield from extents(records)
        return
    chunk_at = 0
    while len(records) - chunk_at >= HEADER_BYTES:
        chunk = records.read(chunk_at, min(_CHUNK_BYTES, len(records) - chunk_at))
        following = chunk_at
        for position, size, base_offset, last_offset in extents(chunk):
            yield chunk_at + position, size, base_offset, last_offset
            following = chunk_at + position + size
        assert following > chunk_at, "a chunk has at least one header"
        chunk_at = following


def part_with(records: Splice, batches: Sequence[FetchedBatch], first: int, last: int) -> Splice:
    """The bytes of the batches from the one with offset *first* to the one with *last*."""
    wanted = [each for each in batches if each.last_offset >= first and each.base_offset <= last]
    if not wanted:
        return b""
    start = wanted[0].position
    size = wanted[-1].position + wanted[-1].size - start
    if size == len(records):
        return records
    if isinstance(records, FileSlice):
        return records.part(start, size)
    assert isinstance(records, BUFFERS)
    return memoryview(records)[start : start + size]


def aborted_ranges(
    records: Splice, batches: Sequence[FetchedBatch], aborted: Sequence[AbortedTxn]
) -> list[tuple[int, int]]:
    """The first and last offsets of the batches of *aborted* transactions, without the markers."""
    pending = sorted(aborted, key=lambda each: each.first_offset, reverse=True)
    producers: set[int] = set()
    ranges = []
    for batch in batches:
        while pending and pending[-1].first_offset <= batch.last_offset:
            producers.add(pending.pop().producer_id)
        header = read_header(_header(records, batch.position))
        if header.producer_id not in producers:
            continue
        if header.is_control:  # its marker, since the transaction is aborted
            producers.discard(header.producer_id)
        elif header.is_transactional:
            ranges.append((batch.base_offset, batch.last_offset))
    return ranges


def _header(records: Splice, position: int) -> bytes | memoryview:
    if isinstance(records, BUFFERS):
        return memoryview(records)[position : position + HEADER_BYTES]
    return records.read(position, HEADER_BYTES)
