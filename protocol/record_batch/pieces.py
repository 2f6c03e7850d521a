"""Splits fetched records into pieces of whole batches, which a follower appends in slices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from protocol.record_batch.header import HEADER_BYTES
from protocol.record_batch.peek import v2_size_at

BATCHES_MAX: Final = 256


def pieces(records: memoryview) -> Iterator[memoryview]:
    """Yield all of *records* in one or more pieces of up to `BATCHES_MAX` batches each.

    The piece with a batch that is invalid or incomplete has all bytes that follow it.
    """
    if len(records) < BATCHES_MAX * HEADER_BYTES:
        yield records
        return
    start = position = batches = 0
    while (size := v2_size_at(records, position)) is not None:
        if batches == BATCHES_MAX:
            yield records[start:position]
            start, batches = position, 0
        position += size
        batches += 1
    yield records[start:]
