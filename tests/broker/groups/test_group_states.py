"""What records add up to (the replay tests of ``GroupMetadataManagerTest``)."""

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
    """What a group has committed of t-0; None: it is forgotten."""
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
def test_a_tombstone_of_what_is_not_there(key: object) -> None:
    """Compaction may have left only it."""
    assert replayed(CoordinatorRecord(key)).groups == {}


def test_an_offset_makes_a_group() -> None:
    """Nothing else is written of a group without members."""
    states = replayed(offset_of("g"))

    assert isinstance(states.groups["g"], ClassicGroup)
    assert states.offsets.written("g")[T0].offset == 5


def test_an_offset_of_before_kafka_0_9() -> None:
    """Its key is of another type, and means the same."""
    key = LegacyOffsetCommitKey(group="g", topic="t", partition=0)

    assert replayed(CoordinatorRecord(key, OFFSET)).offsets.written("g")[T0].offset == 5


def test_the_tombstone_of_an_offset_makes_no_group() -> None:
    """Mirrors OffsetMetadataManagerTest.testReplayWithTombstone."""
    states = replayed(offset_of("g"), offset_of("g", None), offset_of("h", None))

    assert list(states.groups) == ["g"]
    assert states.offsets.written("g") == {}


def test_a_group_of_offsets_becomes_a_consumer_group() -> None:
    """And keeps them; no record says that it was another before."""
    states = replayed(offset_of("g"), CONSUMER)

    assert isinstance(states.groups["g"], ConsumerGroup)
    assert states.offsets.written("g")[T0].offset == 5


def test_a_group_changes_its_kind() -> None:
    """As its migration has written it, either way."""
    upgraded = replayed(CLASSIC, CoordinatorRecord(CLASSIC.key), CONSUMER)
    downgraded = replayed(CONSUMER, CoordinatorRecord(CONSUMER.key), CLASSIC)

    assert isinstance(upgraded.groups["g"], ConsumerGroup)
    assert isinstance(downgraded.groups["g"], ClassicGroup)


def test_raw_records_are_read() -> None:
    """What is not a record of groups is passed over."""
    states = GroupStates()
    unknown = RawRecord(b"\x7f\x00", b"")
    for raw in (
        unknown,
        GROUP_RECORDS.serialize(CONSUMER),
        GROUP_RECORDS.serialize(offset_of("h")),
    ):
        states.load(raw, 9000)

    assert list(states.groups) == ["g", "h"]


def test_what_was_loaded_joins_what_is_there() -> None:
    """Its offsets are written, but whether they are replicated is not known yet."""
    states = replayed(offset_of("here"))
    states.adopt(replayed(offset_of("g"), CONSUMER))

    assert list(states.groups) == ["here", "g"]
    assert list(states.offsets.written("g")) == [T0]
    assert states.offsets.replicated("g") == {}


def test_a_group_that_is_removed_takes_its_offsets_along() -> None:
    """Others stay; removing twice is harmless."""
    states = replayed(offset_of("g"), offset_of("h"))
    states.remove("g")
    states.remove("g")

    assert list(states.groups) == ["h"]
    assert states.offsets.written("g") == {}
