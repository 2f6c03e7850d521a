"""The record of a classic group: its generation, members and assignments."""

from __future__ import annotations

from protocol.schema import data, int32, int64, message, since, string, struct


@message(2, versions=(0, 0))
class GroupMetadataKey:
    """The group."""

    group: string


@message(2, versions=(0, 4), flexible=4)
class GroupMetadataValue:
    """The present generation; without members the group is Empty."""

    protocol_type: string
    generation: int32
    protocol: string | None
    leader: string | None
    current_state_timestamp: int64 = since(2, default=-1)
    members: list[MemberMetadata]


@struct
class MemberMetadata:
    """A member, with its metadata for the selected protocol; timeouts are in milliseconds."""

    member_id: string
    group_instance_id: string | None = since(3, default=None)
    client_id: string
    client_host: string
    rebalance_timeout: int32 = since(1, default=-1)
    session_timeout: int32
    subscription: data
    assignment: data
