"""A classic group as its record, and back (``GroupCoordinatorRecordHelpers``)."""

from __future__ import annotations

from collections.abc import Mapping

from broker.coordinators.coordinator_record import CoordinatorRecord, InconsistentRecord
from broker.groups.classic.group import ClassicGroup
from broker.groups.classic.group_state import EMPTY, STABLE
from broker.groups.classic.member import ClassicGroupMember, MemberKey
from broker.groups.classic.member_protocol import MemberProtocol
from broker.groups.records.classic import GroupMetadataKey, GroupMetadataValue, MemberMetadata

# Version 0 of the record had no rebalance timeout.
_NO_TIMEOUT = -1
_NO_TIMESTAMP = -1


def group_metadata_record(
    group: ClassicGroup, assignments: Mapping[str, bytes]
) -> CoordinatorRecord:
    """The record of *group* with the assignment of each member, by member id.

    Without members the protocol and the leader are null.
    """
    members = [
        MemberMetadata(
            member_id=member.member_id,
            group_instance_id=member.group_instance_id,
            client_id=member.client_id,
            client_host=member.client_host,
            rebalance_timeout=member.rebalance_timeout_ms,
            session_timeout=member.session_timeout_ms,
            subscription=member.metadata(group.protocol_name),
            assignment=assignments[member.member_id],
        )
        for member in group.members.values()
    ]
    value = GroupMetadataValue(
        protocol_type=group.protocol_type or "",
        generation=group.generation_id,
        protocol=group.protocol_name,
        leader=group.leader_id,
        current_state_timestamp=group.state_since_wall_ms,
        members=members,
    )
    return CoordinatorRecord(GroupMetadataKey(group=group.group_id), value)


def restore_group(group: ClassicGroup, value: GroupMetadataValue) -> None:
    """Fill a new *group* from the value of its record; no member waits.

    Of several members with the same id the last one is used. If the leader is not a member, the
    first member leads. Raises `InconsistentRecord` if two members have the same instance id.
    """
    group.generation_id = value.generation
    for each in {each.member_id: each for each in value.members}.values():
        if each.group_instance_id in group.static_members:
            raise InconsistentRecord(
                f"two members of group {group.group_id} are instance {each.group_instance_id}"
            )
        group.add(_member(group.group_id, value, each), None)
    group.protocol_type = value.protocol_type or None
    if value.leader in group.members:
        group.leader_id = value.leader
    if group.members:
        group.restore(value.protocol or "", STABLE)
    else:
        group.restore(value.protocol, EMPTY)
    if value.current_state_timestamp != _NO_TIMESTAMP:
        group.state_since_wall_ms = value.current_state_timestamp


def _member(group_id: str, value: GroupMetadataValue, each: MemberMetadata) -> ClassicGroupMember:
    rebalance_timeout_ms = each.rebalance_timeout
    if rebalance_timeout_ms == _NO_TIMEOUT:
        rebalance_timeout_ms = each.session_timeout
    return ClassicGroupMember(
        MemberKey(group_id, each.member_id),
        group_instance_id=each.group_instance_id,
        client_id=each.client_id,
        client_host=each.client_host,
        rebalance_timeout_ms=rebalance_timeout_ms,
        session_timeout_ms=each.session_timeout,
        protocol_type=value.protocol_type,
        protocols=(MemberProtocol(value.protocol or "", bytes(each.subscription)),),
        assignment=bytes(each.assignment),
    )
