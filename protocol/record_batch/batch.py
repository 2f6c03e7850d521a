"""Record batches, format v2: encodes and decodes the 61-byte header and the records after it.

The broker treats records as opaque bytes; `records` and `build_batch` are for code that reads or
writes them: coordinators with their state in a log, offset look-ups by time, tests.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from crc32c import crc32c

from protocol.compression import Buffer, Codec, CorruptRecords, compress, decompress

__all__ = ["BatchHeader", "CorruptRecords", "Record", "batches", "build_batch", "records"]

HEADER = struct.Struct(">qiibIhiqqqhii")
HEADER_BYTES = HEADER.size  # 61: the smallest batch there is
LOG_OVERHEAD = 12  # base offset and length, which the length does not include
CRC_START = 21  # the checksum covers the bytes from the attributes on
MAGIC_V2 = 2

CODEC_MASK = 0x07
TIMESTAMP_TYPE_BIT = 0x08
TRANSACTIONAL_BIT = 0x10
CONTROL_BIT = 0x20
DELETE_HORIZON_BIT = 0x40

NO_TIMESTAMP = -1
NO_PRODUCER_ID = -1
NO_PRODUCER_EPOCH = -1
NO_SEQUENCE = -1
INT32_MAX = 2**31 - 1

# The maximum decompressed size of one batch. Kafka's only limit is its heap.
DECOMPRESSED_BYTES_MAX = 128 * 1024 * 1024


class BatchHeader(NamedTuple):
    """The fields of a batch's header, in the order of the wire format."""

    base_offset: int
    batch_length: int
    partition_leader_epoch: int
    magic: int
    crc: int
    attributes: int
    last_offset_delta: int
    base_timestamp: int
    max_timestamp: int
    producer_id: int
    producer_epoch: int
    base_sequence: int
    records_count: int

    @property
    def size(self) -> int:
        """Size of the whole batch in bytes."""
        return LOG_OVERHEAD + self.batch_length

    @property
    def last_offset(self) -> int:
        """Offset of the last record."""
        return self.base_offset + self.last_offset_delta

    @property
    def next_offset(self) -> int:
        """The offset that follows the batch."""
        return self.base_offset + self.last_offset_delta + 1

    @property
    def codec(self) -> int:
        """The number of the compression codec, which may be unknown."""
        return self.attributes & CODEC_MASK

    @property
    def is_log_append_time(self) -> bool:
        """Whether all records have the broker's time, ``max_timestamp``."""
        return bool(self.attributes & TIMESTAMP_TYPE_BIT)

    @property
    def is_transactional(self) -> bool:
        """Whether the batch belongs to a transaction."""
        return bool(self.attributes & TRANSACTIONAL_BIT)

    @property
    def is_control(self) -> bool:
        """Whether the batch contains control records, which consumers skip."""
        return bool(self.attributes & CONTROL_BIT)

    @property
    def last_sequence(self) -> int:
        """Sequence number of the last record; -1 if the producer is not idempotent."""
        if self.base_sequence == NO_SEQUENCE:
            return NO_SEQUENCE
        return add_sequence(self.base_sequence, self.last_offset_delta)


class Record(NamedTuple):
    """One record; ``offset`` and ``timestamp`` are absolute."""

    key: bytes | None
    value: bytes | None
    headers: Sequence[tuple[str, bytes | None]] = ()
    timestamp: int = NO_TIMESTAMP
    offset: int = -1


def add_sequence(sequence: int, increment: int) -> int:
    """Add *increment* to a sequence number, which wraps to 0 after 2**31 - 1."""
    return (sequence + increment) & INT32_MAX


def read_header(buf: Buffer, position: int = 0) -> BatchHeader:
    """Decode the header at *position*, unchecked; raises `CorruptRecords` if it is incomplete."""
    try:
        # As `BatchHeader._make` does, without the call.
        return tuple.__new__(BatchHeader, HEADER.unpack_from(buf, position))
    except struct.error:
        raise CorruptRecords("the bytes end inside a batch header") from None


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


def check_crc(buf: Buffer, position: int, header: BatchHeader) -> bool:
    """Whether the batch's checksum matches its bytes."""
    return batch_crc(buf, position, header) == header.crc


def batch_crc(buf: Buffer, position: int, header: BatchHeader) -> int:
    """Compute the checksum of the batch's bytes."""
    return crc32c(memoryview(buf)[position + CRC_START : position + header.size])


def records(buf: Buffer, position: int = 0) -> Iterator[Record]:
    """Yield the records of the batch at *position*, decompressed."""
    header = read_header(buf, position)
    block = memoryview(buf)[position + HEADER_BYTES : position + header.size]
    if header.codec:
        block = memoryview(decompress(header.codec, block, DECOMPRESSED_BYTES_MAX))
    at = 0
    for _ in range(header.records_count):
        try:
            record, at = _read_record(block, at, header)
        except IndexError:
            raise CorruptRecords("the bytes end inside a record") from None
        yield record


def _read_record(block: memoryview, at: int, header: BatchHeader) -> tuple[Record, int]:
    length, at = read_varint(block, at)
    end = at + length
    at += 1  # attributes: none are defined
    timestamp_delta, at = read_varint(block, at)
    offset_delta, at = read_varint(block, at)
    key, at = _read_bytes(block, at)
    value, at = _read_bytes(block, at)
    headers_count, at = read_varint(block, at)
    if not 0 <= headers_count <= len(block) - at:
        raise CorruptRecords(f"a record claims {headers_count} headers")
    headers = []
    for _ in range(headers_count):
        name, at = _read_bytes(block, at)
        if name is None:
            raise CorruptRecords("a header has no key")
        content, at = _read_bytes(block, at)
        headers.append((name.decode("utf-8", "replace"), content))
    if at != end:
        raise CorruptRecords("a record does not end where it says")
    timestamp = header.base_timestamp + timestamp_delta
    if header.is_log_append_time:
        timestamp = header.max_timestamp
    return Record(key, value, headers, timestamp, header.base_offset + offset_delta), at


def _read_bytes(block: memoryview, at: int) -> tuple[bytes | None, int]:
    length, at = read_varint(block, at)
    if length < 0:
        return None, at
    end = at + length
    if end > len(block):
        raise CorruptRecords("the bytes end inside a record")
    return bytes(block[at:end]), end


def read_varint(buf: Buffer, at: int) -> tuple[int, int]:
    """Decode a zig-zag varint of up to 64 bits; returns the value and where it ends."""
    byte = buf[at]
    at += 1
    zigzag = byte & 0x7F
    shift = 7
    while byte & 0x80:
        if shift > 63:
            raise CorruptRecords("a varint has more than ten bytes")
        byte = buf[at]
        at += 1
        zigzag |= (byte & 0x7F) << shift
        shift += 7
    zigzag &= 0xFFFF_FFFF_FFFF_FFFF
    return (zigzag >> 1) ^ -(zigzag & 1), at


# ------------------------------------------------------------------------------------ writing


def varint(value: int) -> bytes:
    """*value* as a zig-zag varint."""
    zigzag = value << 1 if value >= 0 else (-value << 1) - 1
    if zigzag < 0x80:
        return bytes((zigzag,))
    out = bytearray()
    while zigzag >= 0x80:
        out.append(zigzag & 0x7F | 0x80)
        zigzag >>= 7
    out.append(zigzag)
    return bytes(out)


def encode_record(record: Record, timestamp_delta: int, offset_delta: int) -> bytes:
    """Encode one record as in a batch."""
    parts = [b"\x00", varint(timestamp_delta), varint(offset_delta)]
    parts += (_sized(record.key), _sized(record.value), varint(len(record.headers)))
    for name, content in record.headers:
        parts += (_sized(name.encode()), _sized(content))
    body = b"".join(parts)
    return varint(len(body)) + body


def _sized(content: bytes | None) -> bytes:
    return b"\x01" if content is None else varint(len(content)) + content


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
    base_timestamp = records[0].timestamp
    offsets = [
        base_offset + index if record.offset < 0 else record.offset
        for index, record in enumerate(records)
    ]
    block: bytes = b"".join(
        encode_record(record, record.timestamp - base_timestamp, offset - base_offset)
        for record, offset in zip(records, offsets, strict=True)
    )
    if codec:
        block = compress(codec, block)
    max_timestamp = max(record.timestamp for record in records)
    attributes |= codec
    if log_append_time is not None:
        attributes |= TIMESTAMP_TYPE_BIT
        max_timestamp = log_append_time
    head = BatchHeader(
        base_offset,
        HEADER_BYTES - LOG_OVERHEAD + len(block),
        partition_leader_epoch,
        MAGIC_V2,
        0,
        attributes,
        offsets[-1] - base_offset,
        base_timestamp,
        max_timestamp,
        producer_id,
        producer_epoch,
        base_sequence,
        len(records),
    )
    return seal(bytearray(HEADER.pack(*head) + block))


def seal(batch: bytearray) -> bytes:
    """Write the checksum into *batch* and return it as bytes."""
    crc = crc32c(memoryview(batch)[CRC_START:])
    batch[CRC_START - 4 : CRC_START] = crc.to_bytes(4, "big")
    return bytes(batch)
