"""Tests of writing headers: `protocol.record_batch.patch`."""

from __future__ import annotations

from protocol.record_batch.header import (
    CONTROL_BIT,
    HEADER_BYTES,
    LOG_OVERHEAD,
    TIMESTAMP_TYPE_BIT,
    check_crc,
    read_header,
)
from protocol.record_batch.patch import (
    assemble,
    seal,
    set_base_offset_and_epoch,
    set_timestamp_and_seal,
)
from tests.batches import batch

ONE = batch(b"value")


def test_a_header_before_a_block_is_a_batch() -> None:
    """The length is that of the block, whatever the header had; sealing adds the checksum."""
    header = read_header(ONE)._replace(batch_length=0, crc=0)
    assembled = assemble(header, ONE[HEADER_BYTES:])
    assert read_header(assembled).batch_length == len(ONE) - LOG_OVERHEAD
    assert not check_crc(assembled, read_header(assembled))
    assert seal(assembled) == ONE


def test_base_offset_and_epoch_leave_the_checksum_valid() -> None:
    """All other fields stay."""
    data = memoryview(bytearray(ONE))
    before = read_header(data)
    set_base_offset_and_epoch(data, 40, before.batch_length, 3)
    after = read_header(data)
    assert after == before._replace(base_offset=40, partition_leader_epoch=3)
    assert check_crc(data, after)


def test_timestamp_and_attributes_get_a_checksum() -> None:
    """Unknown attributes are cleared, known ones are written."""
    data = memoryview(bytearray(ONE))
    before = read_header(data)
    set_timestamp_and_seal(data, TIMESTAMP_TYPE_BIT | CONTROL_BIT | 0x480, 77)
    after = read_header(data)
    attributes = TIMESTAMP_TYPE_BIT | CONTROL_BIT
    assert after == before._replace(attributes=attributes, max_timestamp=77, crc=after.crc)
    assert check_crc(data, after)
