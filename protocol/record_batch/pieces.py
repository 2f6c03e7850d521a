"""Fetched records in pieces of whole batches, so that a follower appends many of them in slices."""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct

from protocol.record_batch.header import HEADER_BYTES, LOG_OVERHEAD

BATCHES_MAX = 256

_LENGTH = Struct(">8xi")


def pieces(records: memoryview) -> Iterator[memoryview]:
    """All of *records*, at least one piece, each with up to `BATCHES_MAX` batches.

    Whatever follows a batch that is not valid or not complete is in the same piece.
    """
    if len(records) < BATCHES_MAX * HEADER_BYTES:
        yield records
        return
    start = position = batches = 0
    end = len(records)
    while end - position >= HEADER_BYTES:
        size = _LENGTH.unpack_from(records, position)[0] + LOG_OVERHEAD
        if size < HEADER_BYTES or size > end - position:
            break
        if batches == BATCHES_MAX:
            yield records[start:position]
            start, batches = position, 0
        position += size
        batches += 1
    yield records[start:]
