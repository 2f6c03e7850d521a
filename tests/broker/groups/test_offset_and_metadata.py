"""An offset and its record."""

from __future__ import annotations

from uuid import UUID

from broker.common.topic_partition import TopicPartition
from broker.coordinators.coordinator_record import CoordinatorRecord
from broker.groups.offset_and_metadata import OffsetAndMetadata, tombstone
from broker.groups.records.offsets import OffsetCommitKey

T1 = TopicPartition("t", 1)


def test_an_offset_is_restored_from_its_record() -> None:
    """With and without a retention of its own."""
    for expires_ms in (None, 1234):
        offset = OffsetAndMetadata(7, 2, "here", 1000, expires_ms, UUID(int=5))
        record = offset.to_record("g", T1)

        assert record.key == OffsetCommitKey(group="g", topic="t", partition=1)
        assert OffsetAndMetadata.from_record(record.value) == offset


def test_the_offset_of_the_record_is_kept() -> None:
    """It is not a part of the record, and equal offsets may have different ones."""
    record = OffsetAndMetadata(7).to_record("g", T1)
    restored = OffsetAndMetadata.from_record(record.value, 12)

    assert restored.record_offset == 12
    assert restored == OffsetAndMetadata(7)


def test_the_tombstone_of_an_offset() -> None:
    """It has the key of the offset and no value."""
    assert tombstone("g", T1) == CoordinatorRecord(
        OffsetCommitKey(group="g", topic="t", partition=1)
    )
