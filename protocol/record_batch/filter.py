"""Removes records from a batch, as compaction does (Kafka's ``MemoryRecords.filterTo``).

Offsets, producer, sequence numbers and leader epoch do not change, because readers and producers
depend on them. A batch without any remaining record is kept, empty, only on request. A batch that
keeps tombstones, or the marker of a transaction without remaining records, gets a delete horizon:
the time from which these may be removed (KIP-534).
"""

from __future__ import annotations

from collections.abc import Callable

from protocol.compression import compress
from protocol.record_batch.header import (
    CODEC_MASK,
    DELETE_HORIZON_BIT,
    KNOWN_ATTRIBUTES,
    NO_TIMESTAMP,
    BatchHeader,
)
from protocol.record_batch.patch import assemble, seal
from protocol.record_batch.slices import RecordSlice, encode_slices, record_slices


def filter_batch(
    header: BatchHeader,
    batch: memoryview,
    keep: Callable[[RecordSlice], bool],
    *,
    horizon_ms: int,
    needs_horizon: bool = False,
    keep_empty: bool,
) -> memoryview | bytes | None:
    """The batch with the records for which *keep* returns True; None if no batch remains.

    *horizon_ms* becomes the delete horizon if the batch has none and keeps tombstones, or
    *needs_horizon*. Raises `CorruptRecords`.
    """
    all_records = list(record_slices(header, batch))
    kept = [record for record in all_records if keep(record)]
    if not kept:
        return empty_batch(header) if keep_empty else None
    horizon = header.delete_horizon_ms
    if horizon is None and (needs_horizon or not all(record.has_value for record in kept)):
        horizon = horizon_ms
    elif len(kept) == len(all_records):
        return batch
    return _batch_of(header, kept, horizon)


def empty_batch(header: BatchHeader) -> bytes:
    """A batch without records; its header still has the producer's last sequence number."""
    head = header._replace(
        attributes=header.attributes & KNOWN_ATTRIBUTES & ~(DELETE_HORIZON_BIT | CODEC_MASK),
        base_timestamp=NO_TIMESTAMP,
        records_count=0,
    )
    return seal(assemble(head, b""))


def _batch_of(header: BatchHeader, kept: list[RecordSlice], horizon: int | None) -> bytes:
    base_timestamp = kept[0].timestamp if horizon is None else horizon
    block = encode_slices(kept, header.base_offset, base_timestamp)
    if header.codec:
        block = compress(header.codec, block)
    attributes = header.attributes & KNOWN_ATTRIBUTES & ~DELETE_HORIZON_BIT
    head = header._replace(
        attributes=attributes if horizon is None else attributes | DELETE_HORIZON_BIT,
        base_timestamp=base_timestamp,
        max_timestamp=max(record.timestamp for record in kept),
        records_count=len(kept),
    )
    return seal(assemble(head, block))
