"""Offsets."""

from __future__ import annotations

from uuid import UUID

from broker.common.topic_partition import TopicPartition
from broker.coordinators.coordinator_record import CoordinatorRecord
from broker.groups.offsets import OffsetAndMetadata, OffsetTable, tombstone
from broker.groups.records.offsets import OffsetCommitKey

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)
ONE, TWO = OffsetAndMetadata(1), OffsetAndMetadata(2)


def test_what_is_written_is_not_yet_replicated() -> None:
    """Both views are kept by group, and know nothing of each other."""
    table = OffsetTable()
    table.write("g", {T0: ONE, T1: TWO})
    table.replicate("g", {T0: ONE})

    assert table.written("g") == {T0: ONE, T1: TWO}
    assert table.replicated("g") == {T0: ONE}
    assert table.written("h") == table.replicated("h") == {}


def test_an_offset_can_be_taken_back() -> None:
    """None forgets it; forgetting what is not there is nothing."""
    table = OffsetTable()
    table.write("g", {T0: ONE, T1: TWO})
    table.write("g", {T0: None})
    table.write("h", {T0: None})

    assert table.written("g") == {T1: TWO}


def test_a_group_that_goes_takes_its_offsets_along() -> None:
    """In both views."""
    table = OffsetTable()
    table.write("g", {T0: ONE})
    table.replicate("g", {T0: ONE})
    table.remove("g")
    table.remove("g")

    assert table.written("g") == table.replicated("g") == {}


def test_an_offset_survives_as_its_record() -> None:
    """With and without a retention of its own."""
    for expires_ms in (None, 1234):
        offset = OffsetAndMetadata(7, 2, "here", 1000, expires_ms, UUID(int=5))
        record = offset.to_record("g", T1)

        assert record.key == OffsetCommitKey(group="g", topic="t", partition=1)
        assert OffsetAndMetadata.from_record(record.value) == offset


def test_a_tombstone_names_what_it_forgets() -> None:
    """And has no value."""
    assert tombstone("g", T1) == CoordinatorRecord(
        OffsetCommitKey(group="g", topic="t", partition=1)
    )
