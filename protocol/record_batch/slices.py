"""The records of a batch as compaction needs them: some fields decoded, the rest as bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from protocol.corrupt_records import CorruptRecords
from protocol.record_batch.batch import plain_block
from protocol.record_batch.header import BatchHeader
from protocol.record_batch.numbers import InvalidRecord, read_varint, varint


class RecordSlice(NamedTuple):
    """A record; ``rest`` is its encoded bytes after the offset delta, from the key's length on."""

    offset: int
    timestamp: int
    key: bytes | None
    has_value: bool
    rest: memoryview


def record_slices(header: BatchHeader, batch: memoryview) -> Iterator[RecordSlice]:
    """Yield each record of *batch*; raises `CorruptRecords`."""
    block = plain_block(header, batch)
    at = 0
    for _ in range(header.records_count):
        try:
            length, at = read_varint(block, at)
            end = at + length
            timestamp_delta, at = read_varint(block, at + 1)  # after the unused attributes
            offset_delta, rest_at = read_varint(block, at)
            key_length, at = read_varint(block, rest_at)
            value_length, value_at = read_varint(block, at + max(0, key_length))
        except (IndexError, InvalidRecord):
            raise CorruptRecords("the bytes end inside a record") from None
        if not value_at + max(0, value_length) <= end <= len(block):
            raise CorruptRecords("a record's fields are longer than the record")
        timestamp = header.base_timestamp + timestamp_delta
        yield RecordSlice(
            header.base_offset + offset_delta,
            header.max_timestamp if header.is_log_append_time else timestamp,
            None if key_length < 0 else bytes(block[at : at + key_length]),
            value_length >= 0,
            block[rest_at:end],
        )
        at = end


def encode_slices(records: Sequence[RecordSlice], base_offset: int, base_timestamp: int) -> bytes:
    """The records as an uncompressed block of a batch with these bases."""
    parts: list[bytes | memoryview] = []
    for record in records:
        timestamp_delta = varint(record.timestamp - base_timestamp)
        offset_delta = varint(record.offset - base_offset)
        length = 1 + len(timestamp_delta) + len(offset_delta) + len(record.rest)
        parts += (varint(length), b"\0", timestamp_delta, offset_delta, record.rest)
    return b"".join(parts)
