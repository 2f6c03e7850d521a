"""JoinGroup: joins the next generation of a group.

v1 rebalance timeout, v4 a member id first (KIP-394), v5 static members (KIP-345), v6 flexible,
v7 the protocol type in the response (KIP-559), v8 a reason (KIP-800), v9 skip the assignment
(KIP-814).
"""

from __future__ import annotations

from protocol.apis import JOIN_GROUP
from protocol.schema import body, boolean, data, int16, int32, since, string, struct


@body(JOIN_GROUP)
class JoinGroupRequest:
    group_id: string
    session_timeout_ms: int32
    rebalance_timeout_ms: int32 = since(1, default=-1)
    member_id: string
    group_instance_id: string | None = since(5, default=None)
    protocol_type: string
    protocols: list[JoinGroupRequestProtocol]
    reason: string | None = since(8, default=None)


@struct
class JoinGroupRequestProtocol:
    name: string
    metadata: data


@body(JOIN_GROUP)
class JoinGroupResponse:
    throttle_time_ms: int32 = since(2, default=0)
    error_code: int16 = 0
    generation_id: int32 = -1
    protocol_type: string | None = since(7, default=None)
    protocol_name: string | None = since(null=7)
    leader: string
    skip_assignment: boolean = since(9, default=False)
    member_id: string
    members: list[JoinGroupResponseMember]


@struct
class JoinGroupResponseMember:
    member_id: string
    group_instance_id: string | None = since(5, default=None)
    metadata: data
