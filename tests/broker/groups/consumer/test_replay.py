"""What each record says of a consumer group (the replay tests of ``GroupMetadataManagerTest``)."""

from __future__ import annotations

from typing import Any

from broker.coordinators.coordinator_record import CoordinatorRecord
from broker.groups.consumer.group import ConsumerGroup, ResolvedRegex
from broker.groups.consumer.replay import replay
from broker.groups.records.consumer import (
    ConsumerGroupCurrentMemberAssignmentKey,
    ConsumerGroupMemberMetadataKey,
    ConsumerGroupMetadataKey,
    ConsumerGroupMetadataValue,
    ConsumerGroupPartitionMetadataKey,
    ConsumerGroupPartitionMetadataValue,
    ConsumerGroupRegularExpressionKey,
    ConsumerGroupRegularExpressionValue,
    ConsumerGroupTargetAssignmentMemberKey,
    ConsumerGroupTargetAssignmentMemberValue,
    ConsumerGroupTargetAssignmentMetadataKey,
    ConsumerGroupTargetAssignmentMetadataValue,
    TargetTopicPartitions,
)
from tests.broker.groups.consumer.books import T, member, owned

METADATA = ConsumerGroupMemberMetadataKey(group_id="g", member_id="m")
CURRENT = ConsumerGroupCurrentMemberAssignmentKey(group_id="g", member_id="m")
TARGET = ConsumerGroupTargetAssignmentMemberKey(group_id="g", member_id="m")
TARGET_EPOCH = ConsumerGroupTargetAssignmentMetadataKey(group_id="g")
EPOCH = ConsumerGroupMetadataKey(group_id="g")
PARTITIONS = ConsumerGroupPartitionMetadataKey(group_id="g")
REGEX = ConsumerGroupRegularExpressionKey(group_id="g", regular_expression="t.*")

M = member("m", "t", instance_id="i", member_epoch=3, assigned=owned(T, 0))


def replayed(*records: tuple[Any, Any]) -> ConsumerGroup:
    """A new group after these records."""
    group = ConsumerGroup("g")
    for key, value in records:
        replay(group, CoordinatorRecord(key, value))
    return group


def test_a_member_and_what_it_has_in_either_order() -> None:
    """Compaction mixes keys."""
    says, has = (METADATA, M.metadata_value()), (CURRENT, M.assignment_value())

    assert replayed(says, has).members == replayed(has, says).members == {"m": M}


def test_a_member_that_is_gone() -> None:
    """Its instance is forgotten with it."""
    group = replayed((METADATA, M.metadata_value()), (CURRENT, None), (METADATA, None))

    assert (group.members, group.static_members) == ({}, {})


def test_a_member_that_has_nothing_any_more() -> None:
    """It is on its way out."""
    group = replayed(
        (METADATA, M.metadata_value()), (CURRENT, M.assignment_value()), (CURRENT, None)
    )

    assert group.members["m"].assigned == {}
    assert (group.members["m"].member_epoch, group.members["m"].instance_id) == (-1, "i")


def test_targets() -> None:
    """A tombstone takes the target away."""
    value = ConsumerGroupTargetAssignmentMemberValue(
        topic_partitions=[TargetTopicPartitions(topic_id=T, partitions=[0, 1])]
    )

    assert replayed((TARGET, value)).target == {"m": {T: frozenset({0, 1})}}
    assert replayed((TARGET, value), (TARGET, None)).target == {}


def test_epochs() -> None:
    """The group's own, and that of its assignment."""
    group = replayed(
        (EPOCH, ConsumerGroupMetadataValue(epoch=9, metadata_hash=-5)),
        (
            TARGET_EPOCH,
            ConsumerGroupTargetAssignmentMetadataValue(assignment_epoch=8, assignment_timestamp=77),
        ),
    )

    assert (group.epoch, group.metadata_hash) == (9, -5)
    assert (group.assignment_epoch, group.assignment_timestamp_ms) == (8, 77)


def test_a_regular_expression() -> None:
    """The topics that it stood for, and when; a tombstone takes it away."""
    value = ConsumerGroupRegularExpressionValue(topics=["t", "tt"], version=3, timestamp=77)

    group = replayed((REGEX, value))
    assert group.regexes == {"t.*": ResolvedRegex(frozenset({"t", "tt"}), 3, 77)}
    assert replayed((REGEX, value), (REGEX, None)).regexes == {}


def test_what_older_brokers_kept_of_topics() -> None:
    """Only that it is there counts, so that it can be removed (KIP-1101)."""
    value = ConsumerGroupPartitionMetadataValue(topics=[])

    assert replayed((PARTITIONS, value)).has_partition_metadata_record
    assert not replayed((PARTITIONS, value), (PARTITIONS, None)).has_partition_metadata_record


def test_a_group_that_is_deleted() -> None:
    """Its last tombstone says so."""
    assert replayed((EPOCH, None)).is_deleted


def test_tombstones_of_what_is_not_there() -> None:
    """Mirrors the ...TombstoneNotExisting tests."""
    group = replayed(*((key, None) for key in (METADATA, CURRENT, TARGET, REGEX, TARGET_EPOCH)))

    assert vars(group) == vars(ConsumerGroup("g"))
