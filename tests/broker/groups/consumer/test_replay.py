"""The replay of records of consumer groups (the replay tests of ``GroupMetadataManagerTest``)."""

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
    """A new group after the replay of *records*."""
    group = ConsumerGroup("g")
    for key, value in records:
        replay(group, CoordinatorRecord(key, value))
    return group


def test_metadata_and_assignment_of_a_member_in_either_order() -> None:
    """Compaction changes the order of keys."""
    says, has = (METADATA, M.metadata_value()), (CURRENT, M.assignment_value())

    assert replayed(says, has).members == replayed(has, says).members == {"m": M}


def test_a_removed_member() -> None:
    """Its instance id is removed with it."""
    group = replayed((METADATA, M.metadata_value()), (CURRENT, None), (METADATA, None))

    assert (group.members, group.static_members) == ({}, {})


def test_a_member_without_an_assignment() -> None:
    """The tombstone of its metadata follows."""
    group = replayed(
        (METADATA, M.metadata_value()), (CURRENT, M.assignment_value()), (CURRENT, None)
    )

    assert group.members["m"].assigned == {}
    assert (group.members["m"].member_epoch, group.members["m"].instance_id) == (-1, "i")


def test_target_assignments() -> None:
    """A tombstone removes the target assignment."""
    value = ConsumerGroupTargetAssignmentMemberValue(
        topic_partitions=[TargetTopicPartitions(topic_id=T, partitions=[0, 1])]
    )

    assert replayed((TARGET, value)).target == {"m": {T: frozenset({0, 1})}}
    assert replayed((TARGET, value), (TARGET, None)).target == {}


def test_group_epoch_and_assignment_epoch() -> None:
    """Each has its record."""
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
    """Its topics, version and time; a tombstone removes it."""
    value = ConsumerGroupRegularExpressionValue(topics=["t", "tt"], version=3, timestamp=77)

    group = replayed((REGEX, value))
    assert group.regexes == {"t.*": ResolvedRegex(frozenset({"t", "tt"}), 3, 77)}
    assert replayed((REGEX, value), (REGEX, None)).regexes == {}


def test_the_partition_metadata_of_older_brokers() -> None:
    """Only its existence is noted, so that it can be removed (KIP-1101)."""
    value = ConsumerGroupPartitionMetadataValue(topics=[])

    assert replayed((PARTITIONS, value)).has_partition_metadata_record
    assert not replayed((PARTITIONS, value), (PARTITIONS, None)).has_partition_metadata_record


def test_a_deleted_group() -> None:
    """By the last of its tombstones."""
    assert replayed((EPOCH, None)).is_deleted


def test_tombstones_without_records_have_no_effect() -> None:
    """Mirrors the ...TombstoneNotExisting tests."""
    group = replayed(*((key, None) for key in (METADATA, CURRENT, TARGET, REGEX, TARGET_EPOCH)))

    assert vars(group) == vars(ConsumerGroup("g"))
