"""Reads single fields of a batch's header, where decoding all thirteen of them would cost too much.

The bytes may come from a client: they may end inside a batch, and need not be a batch at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct
from typing import Final

from protocol.compression import Buffer
from protocol.corrupt_records import CorruptRecords
from protocol.record_batch.header import (
    CODEC_MASK,
    HEADER_BYTES,
    LOG_OVERHEAD,
    MAGIC_V2,
    TRANSACTIONAL_BIT,
)

_LENGTH: Final = Struct(">8xi")
_LENGTH_AND_COUNT: Final = Struct(">8xi45xi")
_MAGIC_AND_ATTRIBUTES: Final = Struct(">16xb4xh")
_MAGIC_POSITION: Final = 16
_ATTRIBUTES_LOW_BYTE: Final = 22

# What `extents` reads of each batch: base offset, batch length, last offset delta.
EXTENT: Final = Struct(">qi11xi")
EXTENT_BYTES: Final = EXTENT.size
EXTENT_LENGTH_MIN: Final = HEADER_BYTES - LOG_OVERHEAD

_LENGTH_MIN: Final = 14  # the overhead of magic 0, the smallest of all formats


def batch_size_at(records: Buffer, position: int) -> int | None:
    """The size of the batch of any format at *position*, in bytes; None if it is not complete.

    Raises `CorruptRecords`, with Kafka's message, for a length or magic that no format has. Kafka's
    ``ByteBufferLogInputStream.nextBatchSize``.
    """
    remaining = len(records) - position
    if remaining < LOG_OVERHEAD:
        return None
    length: int
    (length,) = _LENGTH.unpack_from(records, position)
    if length < _LENGTH_MIN:
        raise CorruptRecords(
            f"Record size {length} is less than the minimum record overhead ({_LENGTH_MIN})"
        )
    if remaining <= _MAGIC_POSITION:
        return None
    magic = records[position + _MAGIC_POSITION]
    if magic > MAGIC_V2:
        signed = magic - 256 if magic > 127 else magic
        raise CorruptRecords(f"Invalid magic found in record: {signed}")
    size = LOG_OVERHEAD + length
    return size if size <= remaining else None


def v2_size_at(records: Buffer, position: int) -> int | None:
    """The size of the v2 batch at *position*, in bytes; None if no complete one can be there."""
    if len(records) - position < HEADER_BYTES:
        return None
    size: int = _LENGTH.unpack_from(records, position)[0] + LOG_OVERHEAD
    return size if HEADER_BYTES <= size <= len(records) - position else None


def size_and_count(header: Buffer, position: int = 0) -> tuple[int, int]:
    """The size in bytes and the record count that the complete header at *position* claims."""
    length: int
    count: int
    length, count = _LENGTH_AND_COUNT.unpack_from(header, position)
    return length + LOG_OVERHEAD, count


def magic_and_codec(batch: Buffer) -> tuple[int, int]:
    """The magic of a batch, and the number of its codec, which may be unknown.

    At least 23 bytes of the batch are needed.
    """
    magic: int
    attributes: int
    magic, attributes = _MAGIC_AND_ATTRIBUTES.unpack_from(batch)
    return magic, attributes & CODEC_MASK


def is_transactional(batch: Buffer) -> bool:
    """Whether a batch, of which 23 bytes are there, belongs to a transaction."""
    return bool(batch[_ATTRIBUTES_LOW_BYTE] & TRANSACTIONAL_BIT)


def extents(chunk: Buffer) -> Iterator[tuple[int, int, int, int]]:
    """Yield position, size in bytes, base offset and last offset of consecutive batches.

    Ends at the first batch of which less than `EXTENT_BYTES` are in *chunk*; the last batch yielded
    may continue after the chunk. Raises `CorruptRecords` for a size below that of a header.
    """
    position, end = 0, len(chunk) - EXTENT_BYTES
    while position <= end:
        base_offset, length, last_offset_delta = EXTENT.unpack_from(chunk, position)
        if length < EXTENT_LENGTH_MIN:
            raise CorruptRecords(f"a batch claims a length of {length} bytes")
        size = length + LOG_OVERHEAD
        yield position, size, base_offset, base_offset + last_offset_delta
        position += size
