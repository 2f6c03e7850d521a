"""One record in a batch of format v2: its fields, how they are encoded and decoded.

A record is its length as a zig-zag varint, an attributes byte (unused), timestamp delta, offset
delta, key, value and headers (Kafka's ``DefaultRecord``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from protocol.corrupt_records import CorruptRecords
from protocol.lazy_dataclass import dataclass
from protocol.record_batch.header import NO_TIMESTAMP, BatchHeader
from protocol.record_batch.numbers import read_varint, varint

_NULL: Final = b"\x01"  # the length -1


@dataclass(slots=True)
class Record:
    """One record; ``offset`` and ``timestamp`` are absolute."""

    key: bytes | None
    value: bytes | None
    headers: Sequence[tuple[str, bytes | None]] = ()
    timestamp: int = NO_TIMESTAMP
    offset: int = -1


def encode_record(record: Record, timestamp_delta: int, offset_delta: int) -> bytes:
    """Encode one record; its timestamp and offset are relative to those of the batch."""
    parts = [b"\x00", varint(timestamp_delta), varint(offset_delta)]
    _add_sized(parts, record.key)
    _add_sized(parts, record.value)
    parts.append(varint(len(record.headers)))
    for name, content in record.headers:
        _add_sized(parts, name.encode())
        _add_sized(parts, content)
    body = b"".join(parts)
    return varint(len(body)) + body


def _add_sized(parts: list[bytes], content: bytes | None) -> None:
    if content is None:
        parts.append(_NULL)
    else:
        parts.append(varint(len(content)))
        parts.append(content)


def decode_record(block: memoryview, at: int, header: BatchHeader) -> tuple[Record, int]:
    """Decode the record at *at* of a decompressed *block*; returns it and the position of the next.

    Raises `CorruptRecords`, and as `read_varint` does.
    """
    length, at = read_varint(block, at)
    end = at + length
    timestamp_delta, at = read_varint(block, at + 1)  # no attributes are defined
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
        raise CorruptRecords("a record's fields are not as long as the record")
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
