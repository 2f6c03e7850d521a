"""The header of a record batch, format v2: 61 bytes, big-endian (Kafka's ``DefaultRecordBatch``).

===========================  =====  ======  =================================================
field                        type   offset
===========================  =====  ======  =================================================
base offset                  int64       0
batch length                 int32       8  of everything after this field
partition leader epoch       int32      12
magic                        int8       16  2
CRC                          uint32     17  CRC-32C of everything after this field
attributes                   int16      21  codec, timestamp type and flags, see the masks
last offset delta            int32      23
base timestamp               int64      27  or the delete horizon (KIP-534), see the masks
max timestamp                int64      35
producer ID                  int64      43
producer epoch               int16      51
base sequence                int32      53
records count                int32      57
===========================  =====  ======  =================================================
"""

from __future__ import annotations

import struct
from typing import Final, NamedTuple

from protocol.compression import Buffer
from protocol.corrupt_records import CorruptRecords
from protocol.record_batch.crc import crc32c

HEADER: Final = struct.Struct(">qiibIhiqqqhii")
HEADER_BYTES: Final = HEADER.size  # 61: the smallest batch there is
LOG_OVERHEAD: Final = 12  # base offset and length, which the length does not include
CRC_START: Final = 21  # the checksum covers the bytes from the attributes on
MAGIC_V2: Final = 2

# Attributes.
CODEC_MASK: Final = 0x07
TIMESTAMP_TYPE_BIT: Final = 0x08
TRANSACTIONAL_BIT: Final = 0x10
CONTROL_BIT: Final = 0x20
DELETE_HORIZON_BIT: Final = 0x40
KNOWN_ATTRIBUTES: Final = (
    CODEC_MASK | TIMESTAMP_TYPE_BIT | TRANSACTIONAL_BIT | CONTROL_BIT | DELETE_HORIZON_BIT
)

NO_TIMESTAMP: Final = -1
NO_PRODUCER_ID: Final = -1
NO_PRODUCER_EPOCH: Final = -1
NO_SEQUENCE: Final = -1
INT32_MAX: Final = 2**31 - 1


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
    def delete_horizon_ms(self) -> int | None:
        """The time from which compaction may remove the batch's tombstones; None if not set."""
        return self.base_timestamp if self.attributes & DELETE_HORIZON_BIT else None

    @property
    def last_sequence(self) -> int:
        """Sequence number of the last record; -1 if the producer is not idempotent."""
        if self.base_sequence == NO_SEQUENCE:
            return NO_SEQUENCE
        return add_sequence(self.base_sequence, self.last_offset_delta)


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


def check_crc(batch: Buffer, header: BatchHeader) -> bool:
    """Whether the checksum in *header* is that of *batch*, which is exactly one batch."""
    crc: int = crc32c(batch[CRC_START:])
    return crc == header.crc
