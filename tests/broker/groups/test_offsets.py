"""Written and replicated offsets."""

from __future__ import annotations

from uuid import UUID

from broker.common.topic_partition import TopicPartition
from broker.coordinators.coordinator_record import CoordinatorRecord
from broker.groups.offsets import OffsetAndMetadata, OffsetTable, tombstone
from broker.groups.records.offsets import OffsetCommitKey

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)
ONE, TWO = OffsetAndMetadata(1), OffsetAndMetadata(2)


def test_written_offsets_are_not_replicated() -> None:
    """Both tables are kept by group and change independently."""
    table = OffsetTable()
    table.write("g", {T0: ONE, T1: TWO})
    table.replicate("g", {T0: ONE})

    assert table.written("g") == {T0: ONE, T1: TWO}
    assert table.replicated("g") == {T0: ONE}
    assert table.written("h") == table.replicated("h") == {}


def test_an_offset_can_be_deleted() -> None:
    """None deletes it; deleting an absent offset has no effect."""
    table = OffsetTable()
    table.write("g", {T0: ONE, T1: TWO})
    table.write("g", {T0: None})
    table.write("h", {T0: None})

    assert table.written("g") == {T1: TWO}


def test_removing_a_group_removes_its_offsets() -> None:
    """From both tables."""
    table = OffsetTable()
    table.write("g", {T0: ONE})
    table.replicate("g", {T0: ONE})
    table.remove("g")
    table.remove("g")

    assert table.written("g") == table.replicated("g") == {}


def test_an_offset_is_restored_from_its_record() -> None:
    """With and without a retention of its own."""
    for expires_ms in (None, 1234):
        offset = OffsetAndMetadata(7, 2, "here", 1000, expires_ms, UUID(int=5))
        record = offset.to_record("g", T1)

        assert record.key == OffsetCommitKey(group="g", topic="t", partition=1)
        assert OffsetAndMetadata.from_record(record.value) == offset


def test_the_tombstone_of_an_offset() -> None:
    """It has the key of the offset and no value."""
    assert tombstone("g", T1) == CoordinatorRecord(
        OffsetCommitKey(group="g", topic="t", partition=1)
    )
