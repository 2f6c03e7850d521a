"""DescribeGroups: groups and their members.

v3 authorized operations (KIP-430), v4 static members (KIP-345), v5 flexible, v6
GROUP_ID_NOT_FOUND (KIP-1043).
"""

from __future__ import annotations

from protocol.apis import DESCRIBE_GROUPS
from protocol.schema import body, boolean, data, int16, int32, since, string, struct


@body(DESCRIBE_GROUPS)
class DescribeGroupsRequest:
    groups: list[string]
    include_authorized_operations: boolean = since(3, default=False)


@body(DESCRIBE_GROUPS)
class DescribeGroupsResponse:
    throttle_time_ms: int32 = since(1, default=0)
    groups: list[DescribedGroup]


@struct
class DescribedGroup:
    error_code: int16 = 0
    error_message: string | None = since(6, default=None)
    group_id: string
    group_state: string
    protocol_type: string
    protocol_data: string
    members: list[DescribedGroupMember]
    authorized_operations: int32 = since(3, default=-(2**31))


@struct
class DescribedGroupMember:
    member_id: string
    group_instance_id: string | None = since(4, default=None)
    client_id: string
    client_host: string
    member_metadata: data
    member_assignment: data
