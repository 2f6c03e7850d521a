"""Writes headers: before encoded records, and in place into the bytes of a batch.

A leader writes base offset, leader epoch and timestamps into the bytes that it has received. Base
offset, length and leader epoch precede the checksum, which does not cover them.
"""

from __future__ import annotations

from struct import Struct
from typing import Final

from protocol.compression import Buffer
from protocol.record_batch.crc import crc32c
from protocol.record_batch.header import (
    CRC_START,
    HEADER,
    HEADER_BYTES,
    KNOWN_ATTRIBUTES,
    LOG_OVERHEAD,
    BatchHeader,
)

_BASE_OFFSET_LENGTH_AND_EPOCH: Final = Struct(">qii")
_LENGTH: Final = Struct(">i")
_LENGTH_POSITION: Final = LOG_OVERHEAD - _LENGTH.size
_CRC: Final = Struct(">I")
_CRC_POSITION: Final = CRC_START - _CRC.size
_ATTRIBUTES: Final = Struct(">h")
_MAX_TIMESTAMP: Final = Struct(">q")
_MAX_TIMESTAMP_POSITION: Final = 35


def assemble(header: BatchHeader, block: Buffer) -> bytearray:
    """Put *header*, with the right length, before an encoded *block*; the checksum is not set."""
    batch = bytearray(HEADER_BYTES + len(block))
    HEADER.pack_into(batch, 0, *header)
    _LENGTH.pack_into(batch, _LENGTH_POSITION, len(batch) - LOG_OVERHEAD)
    batch[HEADER_BYTES:] = block
    return batch


def seal(batch: bytearray) -> bytes:
    """Write the checksum into *batch* and return it as bytes."""
    _CRC.pack_into(batch, _CRC_POSITION, crc32c(memoryview(batch)[CRC_START:]))
    return bytes(batch)


def set_base_offset_and_epoch(
    batch: memoryview, base_offset: int, batch_length: int, leader_epoch: int
) -> None:
    """Write the fields that precede the checksum, which stays valid."""
    _BASE_OFFSET_LENGTH_AND_EPOCH.pack_into(batch, 0, base_offset, batch_length, leader_epoch)


def set_timestamp_and_seal(batch: memoryview, attributes: int, max_timestamp: int) -> None:
    """Write attributes, without unknown ones, maximum timestamp and checksum.

    *attributes* include the timestamp type (Kafka's ``MutableRecordBatch.setMaxTimestamp``).
    """
    _ATTRIBUTES.pack_into(batch, CRC_START, attributes & KNOWN_ATTRIBUTES)
    _MAX_TIMESTAMP.pack_into(batch, _MAX_TIMESTAMP_POSITION, max_timestamp)
    _CRC.pack_into(batch, _CRC_POSITION, crc32c(batch[CRC_START:]))
