"""Applies a record to a streams group (Kafka's ``GroupMetadataManager.replay``).

A tombstone without an earlier record has no effect: compaction may have removed the record.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from broker.coordinators.coordinator_record import CoordinatorRecord, InconsistentRecord
from broker.groups.records.streams import (
    StreamsGroupCurrentMemberAssignmentKey,
    StreamsGroupMemberMetadataKey,
    StreamsGroupMetadataKey,
    StreamsGroupMetadataValue,
    StreamsGroupTargetAssignmentMemberKey,
    StreamsGroupTargetAssignmentMetadataKey,
    StreamsGroupTopologyKey,
)
from broker.groups.streams.assignment_record import read_current, read_target
from broker.groups.streams.group import StreamsGroup
from broker.groups.streams.member import LEFT, StreamsGroupMember
from broker.groups.streams.topology_record import topology_of_record

_DELETED_EPOCH = -1


def replay(group: StreamsGroup, record: CoordinatorRecord) -> None:
    """Apply *record* to *group*; raises `InconsistentRecord`, after which *group* is undefined."""
    key, value = record.key, record.value
    match key:
        case StreamsGroupMetadataKey():
            _replay_epoch(group, value)
        case StreamsGroupTopologyKey():
            group.topology = None if value is None else topology_of_record(value)
        case StreamsGroupMemberMetadataKey():
            _replay_member(group, key.member_id, value)
        case StreamsGroupCurrentMemberAssignmentKey():
            _replay_current(group, key.member_id, value)
        case StreamsGroupTargetAssignmentMemberKey():
            group.target.pop(key.member_id, None)
            if value is not None:
                group.target[key.member_id] = read_target(value)
        case StreamsGroupTargetAssignmentMetadataKey():
            _replay_target_epoch(group, value)


def _replay_epoch(group: StreamsGroup, value: StreamsGroupMetadataValue | None) -> None:
    if value is None:
        if group.members or group.assignment_epoch != _DELETED_EPOCH:
            raise InconsistentRecord(
                f"group {group.group_id} is deleted, but still has members or a target epoch"
            )
        group.is_deleted = True
        return
    group.epoch, group.metadata_hash = value.epoch, value.metadata_hash
    group.validated_topology_epoch = value.validated_topology_epoch
    group.assignment_configs = {
        each.key: each.value for each in value.last_assignment_configs or ()
    }


def _replay_member(group: StreamsGroup, member_id: str, value: Any) -> None:
    if value is not None:
        group.put(_member_of(group, member_id).with_metadata(value))
        return
    member = group.members.get(member_id)
    if member is None:
        return
    if member.current != LEFT or member_id in group.target:
        raise InconsistentRecord(
            f"member {member_id} of group {group.group_id} is removed, but still has an assignment"
        )
    group.remove(member_id)


def _replay_current(group: StreamsGroup, member_id: str, value: Any) -> None:
    if value is not None:
        group.put(replace(_member_of(group, member_id), current=read_current(value)))
    elif member_id in group.members:
        group.put(replace(group.members[member_id], current=LEFT))


def _replay_target_epoch(group: StreamsGroup, value: Any) -> None:
    if value is not None:
        group.assignment_epoch = value.assignment_epoch
        group.assignment_timestamp_ms = value.assignment_timestamp
    elif group.target:
        raise InconsistentRecord(f"group {group.group_id} has targets, but no target epoch")
    else:
        group.assignment_epoch, group.assignment_timestamp_ms = _DELETED_EPOCH, 0


def _member_of(group: StreamsGroup, member_id: str) -> StreamsGroupMember:
    return group.members.get(member_id) or StreamsGroupMember(member_id=member_id)
