"""Record batches (v2) of keyless, uncompressed records: built for a produce, read from a fetch."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import crc32c

_BATCH = struct.Struct(">qiibIhiqqqhii")
_CRC_STARTS_AT = 21  # the CRC covers all later bytes
_CRC_FIELD_AT = 17


@dataclass(frozen=True)
class Producer:
    """The producer of an idempotent batch."""

    id: int = -1
    epoch: int = -1
    sequence: int = -1


def batch(
    values: Sequence[bytes], *, timestamp_ms: int = 0, producer: Producer = Producer()
) -> bytes:
    """Build an uncompressed v2 batch of keyless records."""
    records = b"".join(_record(delta, value) for delta, value in enumerate(values))
    last = len(values) - 1
    who = (producer.id, producer.epoch, producer.sequence)
    head = (0, 49 + len(records), -1, 2, 0, 0, last, timestamp_ms, timestamp_ms, *who, len(values))
    return sealed(_BATCH.pack(*head) + records)


def sealed(raw: bytes) -> bytes:
    """Set the checksum of a batch."""
    whole = bytearray(raw)
    struct.pack_into(">I", whole, _CRC_FIELD_AT, crc32c.crc32c(memoryview(whole)[_CRC_STARTS_AT:]))
    return bytes(whole)


def _record(offset_delta: int, value: bytes) -> bytes:
    body = b"\0\0" + _varint(offset_delta) + _varint(-1) + _varint(len(value)) + value + b"\0"
    return _varint(len(body)) + body


def _varint(value: int) -> bytes:
    rest = (value << 1) ^ (value >> 63)
    out = bytearray()
    while rest > 0x7F:
        out.append(rest & 0x7F | 0x80)
        rest >>= 7
    out.append(rest)
    return bytes(out)


def values(records: bytes) -> Iterator[tuple[int, bytes]]:
    """Return offset and value of the records in complete batches made by `batch`."""
    position = 0
    while position + _BATCH.size <= len(records):
        head = _BATCH.unpack_from(records, position)
        end = position + 12 + head[1]
        if end > len(records):
            return
        at = position + _BATCH.size
        for _ in range(head[12]):
            _, at = _read_varint(records, at)
            _, at = _read_varint(records, at + 1)
            delta, at = _read_varint(records, at)
            _, at = _read_varint(records, at)
            length, at = _read_varint(records, at)
            yield head[0] + delta, records[at : at + length]
            at += length + 1
        position = end


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return (value >> 1) ^ -(value & 1), at
        shift += 7
