"""One record in a batch of format v2: its fields, how they are encoded and decoded.

A record is its length as a zig-zag varint, an attributes byte (unused), timestamp delta, offset
delta, key, value and headers (Kafka's ``DefaultRecord``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from protocol.compression import Buffer
from protocol.corrupt_records import CorruptRecords
from protocol.record_batch.header import NO_TIMESTAMP, BatchHeader


class Record(NamedTuple):
    """One record; ``offset`` and ``timestamp`` are absolute."""

    key: bytes | None
    value: bytes | None
    headers: Sequence[tuple[str, bytes | None]] = ()
    timestamp: int = NO_TIMESTAMP
    offset: int = -1


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


def decode_record(block: memoryview, at: int, header: BatchHeader) -> tuple[Record, int]:
    """Decode the record at *at* of a decompressed *block*; returns it and the position of the next.

    Raises `CorruptRecords`, or IndexError where the block ends inside a number.
    """
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
