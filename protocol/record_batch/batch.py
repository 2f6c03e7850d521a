"""Whole record batches, format v2: built from records, split into records.

The broker treats records as opaque bytes; `records` and `build_batch` are for code that reads or
writes them: coordinators with their state in a log, offset look-ups by time, tests.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from protocol.compression import Buffer, Codec, compress, decompress
from protocol.corrupt_records import CorruptRecords
from protocol.record_batch.header import (
    HEADER_BYTES,
    MAGIC_V2,
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    NO_SEQUENCE,
    TIMESTAMP_TYPE_BIT,
    BatchHeader,
    read_header,
)
from protocol.record_batch.numbers import InvalidRecord
from protocol.record_batch.patch import assemble, seal
from protocol.record_batch.record import Record, decode_record, encode_record

# The maximum decompressed size of one batch. Kafka's only limit is its heap.
DECOMPRESSED_BYTES_MAX: Final = 128 * 1024 * 1024


def batches(buf: Buffer) -> Iterator[tuple[int, BatchHeader]]:
    """Yield each complete batch in *buf* with its position; ignores a partial one at the end."""
    position, end = 0, len(buf)
    while end - position >= HEADER_BYTES:
        header = read_header(buf, position)
        if header.size < HEADER_BYTES:
            raise CorruptRecords(f"a batch of {header.size} bytes is shorter than its header")
        if position + header.size > end:
            return
        yield position, header
        position += header.size


def plain_block(header: BatchHeader, batch: memoryview) -> memoryview:
    """The encoded records of *batch*, decompressed; raises `CorruptRecords`."""
    block = batch[HEADER_BYTES : header.size]
    if not header.codec:
        return block
    return memoryview(decompress(header.codec, block, DECOMPRESSED_BYTES_MAX))


def records(buf: Buffer, position: int = 0) -> Iterator[Record]:
    """Yield the records of the batch at *position*; raises `CorruptRecords`."""
    header = read_header(buf, position)
    block = plain_block(header, memoryview(buf)[position:])
    at = 0
    for _ in range(header.records_count):
        try:
            record, at = decode_record(block, at, header)
        except (IndexError, InvalidRecord):
            raise CorruptRecords("the bytes end inside a record") from None
        yield record


def build_batch(
    records: Sequence[Record],
    *,
    base_offset: int = 0,
    codec: int = Codec.NONE,
    partition_leader_epoch: int = -1,
    producer_id: int = NO_PRODUCER_ID,
    producer_epoch: int = NO_PRODUCER_EPOCH,
    base_sequence: int = NO_SEQUENCE,
    attributes: int = 0,
    log_append_time: int | None = None,
) -> bytes:
    """Build a batch of *records*, numbered from *base_offset*.

    A record's own ``offset``, if any, must be at least that; *attributes* adds the transactional
    and control bits; *log_append_time* is the broker's time for all records.
    """
    assert records, "a batch has at least one record"
    base_timestamp = max_timestamp = records[0].timestamp
    count = last_offset_delta = 0
    encoded: list[bytes] = []
    for record in records:
        last_offset_delta = count if record.offset < 0 else record.offset - base_offset
        max_timestamp = max(max_timestamp, record.timestamp)
        encoded.append(encode_record(record, record.timestamp - base_timestamp, last_offset_delta))
        count += 1
    block = b"".join(encoded)
    if codec:
        block = compress(codec, block)
    attributes |= codec
    if log_append_time is not None:
        attributes |= TIMESTAMP_TYPE_BIT
        max_timestamp = log_append_time
    return sealed_batch(
        block,
        records_count=count,
        last_offset_delta=last_offset_delta,
        base_timestamp=base_timestamp,
        max_timestamp=max_timestamp,
        base_offset=base_offset,
        partition_leader_epoch=partition_leader_epoch,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        base_sequence=base_sequence,
        attributes=attributes,
    )


def sealed_batch(
    block: Buffer,
    *,
    records_count: int,
    last_offset_delta: int,
    base_timestamp: int,
    max_timestamp: int,
    base_offset: int = 0,
    partition_leader_epoch: int = -1,
    producer_id: int = NO_PRODUCER_ID,
    producer_epoch: int = NO_PRODUCER_EPOCH,
    base_sequence: int = NO_SEQUENCE,
    attributes: int = 0,
) -> bytes:
    """Put a header with its length and checksum before the *block* of encoded records."""
    head = BatchHeader(
        base_offset,
        0,  # `assemble` writes the length
        partition_leader_epoch,
        MAGIC_V2,
        0,  # `seal` writes the checksum
        attributes,
        last_offset_delta,
        base_timestamp,
        max_timestamp,
        producer_id,
        producer_epoch,
        base_sequence,
        records_count,
    )
    return seal(assemble(head, block))
