"""Applies a record to a consumer group (Kafka's ``GroupMetadataManager.replay``).

A tombstone without an earlier record has no effect: compaction may have removed the record. A
tombstone is inconsistent if other records still refer to its key, as is a partition with two
owners.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from broker.coordinators.coordinator_record import CoordinatorRecord, InconsistentRecord
from broker.groups.consumer.group import ConsumerGroup, ResolvedRegex
from broker.groups.consumer.member import LEAVING_EPOCH, ConsumerGroupMember, MemberState
from broker.groups.records.consumer import (
    ConsumerGroupCurrentMemberAssignmentKey,
    ConsumerGroupCurrentMemberAssignmentValue,
    ConsumerGroupMemberMetadataKey,
    ConsumerGroupMemberMetadataValue,
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
)


def replay(group: ConsumerGroup, record: CoordinatorRecord) -> None:
    """Apply *record* to *group*; raises `InconsistentRecord`, after which *group* is undefined."""
    _REPLAYS[type(record.key)](group, record.key, record.value)


def _epoch(
    group: ConsumerGroup, _key: ConsumerGroupMetadataKey, value: ConsumerGroupMetadataValue | None
) -> None:
    if value is None:
        if group.members or group.target:
            raise InconsistentRecord(f"group {group.group_id} is deleted, but still has members")
        group.is_deleted = True
    else:
        group.epoch, group.metadata_hash = value.epoch, value.metadata_hash


def _partition_metadata(
    group: ConsumerGroup,
    _key: ConsumerGroupPartitionMetadataKey,
    value: ConsumerGroupPartitionMetadataValue | None,
) -> None:
    group.has_partition_metadata_record = value is not None


def _regex(
    group: ConsumerGroup,
    key: ConsumerGroupRegularExpressionKey,
    value: ConsumerGroupRegularExpressionValue | None,
) -> None:
    group.regexes.pop(key.regular_expression, None)
    if value is not None:
        group.regexes[key.regular_expression] = ResolvedRegex(
            frozenset(value.topics), value.version, value.timestamp
        )


def _member(
    group: ConsumerGroup,
    key: ConsumerGroupMemberMetadataKey,
    value: ConsumerGroupMemberMetadataValue | None,
) -> None:
    if value is None:
        _remove(group, key.member_id)
    else:
        group.put(_member_of(group, key.member_id).with_metadata(value))


def _current_assignment(
    group: ConsumerGroup,
    key: ConsumerGroupCurrentMemberAssignmentKey,
    value: ConsumerGroupCurrentMemberAssignmentValue | None,
) -> None:
    if value is not None:
        group.put(_member_of(group, key.member_id).with_assignment(value))
    elif key.member_id in group.members:
        group.put(_without_assignment(group.members[key.member_id]))


def _target_epoch(
    group: ConsumerGroup,
    _key: ConsumerGroupTargetAssignmentMetadataKey,
    value: ConsumerGroupTargetAssignmentMetadataValue | None,
) -> None:
    if value is not None:
        group.assignment_epoch = value.assignment_epoch
        group.assignment_timestamp_ms = value.assignment_timestamp
    elif group.target:
        raise InconsistentRecord(f"group {group.group_id} has targets, but no target epoch")


def _target(
    group: ConsumerGroup,
    key: ConsumerGroupTargetAssignmentMemberKey,
    value: ConsumerGroupTargetAssignmentMemberValue | None,
) -> None:
    group.target.pop(key.member_id, None)
    if value is not None:
        group.target[key.member_id] = {
            topic.topic_id: frozenset(topic.partitions) for topic in value.topic_partitions
        }


def _remove(group: ConsumerGroup, member_id: str) -> None:
    member = group.members.get(member_id)
    if member is None:
        return
    if member.member_epoch != LEAVING_EPOCH or member_id in group.target:
        raise InconsistentRecord(
            f"member {member_id} of group {group.group_id} is removed, but still has an assignment"
        )
    group.remove(member_id)


def _member_of(group: ConsumerGroup, member_id: str) -> ConsumerGroupMember:
    return group.members.get(member_id) or ConsumerGroupMember(member_id=member_id)


def _without_assignment(member: ConsumerGroupMember) -> ConsumerGroupMember:
    """The member without its assignment; the tombstone of its metadata follows."""
    return replace(
        member,
        member_epoch=LEAVING_EPOCH,
        previous_member_epoch=LEAVING_EPOCH,
        state=MemberState.STABLE,
        assigned={},
        pending_revocation={},
    )


_REPLAYS: dict[type, Callable[[ConsumerGroup, Any, Any], None]] = {
    ConsumerGroupMetadataKey: _epoch,
    ConsumerGroupPartitionMetadataKey: _partition_metadata,
    ConsumerGroupRegularExpressionKey: _regex,
    ConsumerGroupMemberMetadataKey: _member,
    ConsumerGroupTargetAssignmentMetadataKey: _target_epoch,
    ConsumerGroupTargetAssignmentMemberKey: _target,
    ConsumerGroupCurrentMemberAssignmentKey: _current_assignment,
}
