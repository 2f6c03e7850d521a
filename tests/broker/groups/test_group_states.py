"""The replay of records (the replay tests of ``GroupMetadataManagerTest``)."""

from __future__ import annotations

import pytest

from broker.common.topic_partition import TopicPartition
from broker.coordinators.coordinator_record import CoordinatorRecord, RawRecord
from broker.groups.classic.group import ClassicGroup
from broker.groups.consumer.group import ConsumerGroup
from broker.groups.group_states import GroupStates
from broker.groups.records.classic import GroupMetadataKey, GroupMetadataValue
from broker.groups.records.consumer import (
    ConsumerGroupMemberMetadataKey,
    ConsumerGroupMetadataKey,
    ConsumerGroupMetadataValue,
)
from broker.groups.records.offsets import (
    LegacyOffsetCommitKey,
    OffsetCommitKey,
    OffsetCommitValue,
)
from broker.groups.records.serde import GROUP_RECORDS
from broker.groups.records.streams import StreamsGroupMetadataKey, StreamsGroupMetadataValue
from broker.groups.streams.group import StreamsGroup
from broker.steps.queue import finish

T0 = TopicPartition("t", 0)
OFFSET = OffsetCommitValue(offset=5, metadata="", commit_timestamp=1000)
CLASSIC = CoordinatorRecord(
    GroupMetadataKey(group="g"),
    GroupMetadataValue(
        protocol_type="consumer",
        generation=3,
        protocol=None,
        leader=None,
        current_state_timestamp=2000,
        members=[],
    ),
)
CONSUMER = CoordinatorRecord(
    ConsumerGroupMetadataKey(group_id="g"), ConsumerGroupMetadataValue(epoch=7)
)


def offset_of(group_id: str, offset: OffsetCommitValue | None = OFFSET) -> CoordinatorRecord:
    """The record of a committed offset of t-0; None for its tombstone."""
    return CoordinatorRecord(OffsetCommitKey(group=group_id, topic="t", partition=0), offset)


def replayed(*records: CoordinatorRecord) -> GroupStates:
    """What these records make."""
    states = GroupStates()
    for record in records:
        states.replay(record, 9000)
    return states


def test_a_classic_group() -> None:
    """A tombstone deletes it."""
    group = replayed(CLASSIC).groups["g"]

    assert isinstance(group, ClassicGroup)
    assert (group.generation_id, group.state_since_wall_ms) == (3, 2000)
    assert replayed(CLASSIC, CoordinatorRecord(CLASSIC.key)).groups == {}


def test_a_consumer_group() -> None:
    """Mirrors testReplayConsumerGroupMetadata; a tombstone deletes it."""
    group = replayed(CONSUMER).groups["g"]

    assert isinstance(group, ConsumerGroup)
    assert group.epoch == 7
    assert replayed(CONSUMER, CoordinatorRecord(CONSUMER.key)).groups == {}


@pytest.mark.parametrize(
    "key",
    [
        ConsumerGroupMetadataKey(group_id="g"),
        ConsumerGroupMemberMetadataKey(group_id="g", member_id="m"),
    ],
)
def test_a_tombstone_without_a_record_has_no_effect(key: object) -> None:
    """Compaction may have removed the record."""
    assert replayed(CoordinatorRecord(key)).groups == {}


def test_an_offset_creates_a_group() -> None:
    """There is no other record of a group without members."""
    states = replayed(offset_of("g"))

    assert isinstance(states.groups["g"], ClassicGroup)
    assert states.offsets.written.committed("g")[T0].offset == 5


def test_an_offset_written_before_kafka_0_9() -> None:
    """Its key has another type and the same meaning."""
    key = LegacyOffsetCommitKey(group="g", topic="t", partition=0)

    assert replayed(CoordinatorRecord(key, OFFSET)).offsets.written.committed("g")[T0].offset == 5


def test_the_tombstone_of_an_offset_creates_no_group() -> None:
    """Mirrors OffsetMetadataManagerTest.testReplayWithTombstone."""
    states = replayed(offset_of("g"), offset_of("g", None), offset_of("h", None))

    assert list(states.groups) == ["g"]
    assert states.offsets.written.committed("g") == {}


def test_a_simple_group_becomes_a_consumer_group() -> None:
    """It keeps its offsets; no record says that it was a simple group."""
    states = replayed(offset_of("g"), CONSUMER)

    assert isinstance(states.groups["g"], ConsumerGroup)
    assert states.offsets.written.committed("g")[T0].offset == 5


def test_a_group_changes_its_protocol() -> None:
    """By the records of a migration, in either direction."""
    upgraded = replayed(CLASSIC, CoordinatorRecord(CLASSIC.key), CONSUMER)
    downgraded = replayed(CONSUMER, CoordinatorRecord(CONSUMER.key), CLASSIC)

    assert isinstance(upgraded.groups["g"], ConsumerGroup)
    assert isinstance(downgraded.groups["g"], ClassicGroup)


def test_raw_records_are_deserialized() -> None:
    """Records of unknown types are ignored."""
    states = GroupStates()
    unknown = RawRecord(b"\x7f\x00", b"")
    for raw in (
        unknown,
        GROUP_RECORDS.serialize(CONSUMER),
        GROUP_RECORDS.serialize(offset_of("h")),
    ):
        states.load(raw, 9000)

    assert list(states.groups) == ["g", "h"]


def test_a_record_of_a_streams_group_creates_it() -> None:
    """Its epoch is that of the record."""
    value = StreamsGroupMetadataValue(epoch=2, metadata_hash=0)

    group = replayed(CoordinatorRecord(StreamsGroupMetadataKey(group_id="g"), value)).groups["g"]

    assert isinstance(group, StreamsGroup)
    assert group.epoch == 2


def test_a_streams_group_replaces_a_simple_group() -> None:
    """A group that holds only offsets has no record of its own."""
    value = StreamsGroupMetadataValue(epoch=2, metadata_hash=0)
    states = GroupStates()
    states.create_simple("g", 0)

    states.replay(CoordinatorRecord(StreamsGroupMetadataKey(group_id="g"), value), 0)

    assert isinstance(states.groups["g"], StreamsGroup)


def test_a_tombstone_of_a_streams_group_without_a_record_is_ignored() -> None:
    """Compaction may have removed the record."""
    assert replayed(CoordinatorRecord(StreamsGroupMetadataKey(group_id="g"))).groups == {}


def test_a_loaded_group_is_added() -> None:
    """Its offsets are written, but not known to be replicated."""
    states, loaded = replayed(offset_of("here")), replayed(offset_of("g"), CONSUMER)
    finish(states.adopt(loaded.groups["g"], loaded))

    assert list(states.groups) == ["here", "g"]
    assert list(states.offsets.written.committed("g")) == [T0]
    assert states.offsets.replicated.committed("g") == {}


def test_removing_a_group_removes_its_offsets() -> None:
    """Other groups stay; removing it again has no effect."""
    states = replayed(offset_of("g"), offset_of("h"))
    states.remove("g")
    states.remove("g")

    assert list(states.groups) == ["h"]
    assert states.offsets.written.committed("g") == {}
