"""What is left of a batch when some of its records go (Kafka's ``MemoryRecords.filterTo``).

Offsets, producer, sequence numbers and leader epoch stay as they were, whatever goes: readers and
producers rely on them. A batch that has lost all its records is kept, empty, only if it is asked
for; one that keeps tombstones, or the marker of a transaction that has nothing left, is given the
time at which these may go (KIP-534).
"""

from __future__ import annotations

from collections.abc import Callable

from protocol.compression import compress
from protocol.record_batch.header import (
    CODEC_MASK,
    CONTROL_BIT,
    DELETE_HORIZON_BIT,
    HEADER,
    HEADER_BYTES,
    LOG_OVERHEAD,
    NO_TIMESTAMP,
    TIMESTAMP_TYPE_BIT,
    TRANSACTIONAL_BIT,
    BatchHeader,
    seal,
)
from protocol.record_batch.slices import RecordSlice, joined, record_slices

_KNOWN_BITS = CODEC_MASK | TIMESTAMP_TYPE_BIT | TRANSACTIONAL_BIT | CONTROL_BIT


def delete_horizon_ms(header: BatchHeader) -> int | None:
    """When the batch's tombstones may go; None if that was not yet said."""
    return header.base_timestamp if header.attributes & DELETE_HORIZON_BIT else None


def filter_batch(
    header: BatchHeader,
    batch: memoryview,
    keep: Callable[[RecordSlice], bool],
    *,
    horizon_ms: int,
    needs_horizon: bool = False,
    keep_empty: bool,
) -> memoryview | bytes | None:
    """The batch with the records that *keep* wants, None if nothing is left of it.

    Tombstones that are kept may go at *horizon_ms*, unless another time was said before; so may the
    whole batch if it *needs_horizon*.
    """
    all_records = list(record_slices(header, batch))
    kept = [record for record in all_records if keep(record)]
    if not kept:
        return empty_batch(header) if keep_empty else None
    horizon = delete_horizon_ms(header)
    if horizon is None and (needs_horizon or not all(record.has_value for record in kept)):
        horizon = horizon_ms
    elif len(kept) == len(all_records):
        return batch
    return _batch_of(header, kept, horizon)


def empty_batch(header: BatchHeader) -> bytes:
    """A header without records, which still tells of the producer's last sequence number."""
    head = header._replace(
        batch_length=HEADER_BYTES - LOG_OVERHEAD,
        attributes=header.attributes & _KNOWN_BITS & ~CODEC_MASK,
        base_timestamp=NO_TIMESTAMP,
        records_count=0,
    )
    return seal(bytearray(HEADER.pack(*head)))


def _batch_of(header: BatchHeader, kept: list[RecordSlice], horizon: int | None) -> bytes:
    base_timestamp = kept[0].timestamp if horizon is None else horizon
    block = joined(kept, header.base_offset, base_timestamp)
    if header.codec:
        block = compress(header.codec, block)
    attributes = header.attributes & _KNOWN_BITS
    head = header._replace(
        batch_length=HEADER_BYTES - LOG_OVERHEAD + len(block),
        attributes=attributes if horizon is None else attributes | DELETE_HORIZON_BIT,
        base_timestamp=base_timestamp,
        max_timestamp=max(record.timestamp for record in kept),
        records_count=len(kept),
    )
    return seal(bytearray(HEADER.pack(*head) + block))
