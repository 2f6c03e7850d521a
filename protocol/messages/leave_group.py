"""LeaveGroup: removes members from a group.

v3 several at once (KIP-345), v4 flexible, v5 a reason (KIP-800).
"""

from __future__ import annotations

from protocol.apis import LEAVE_GROUP
from protocol.schema import body, int16, int32, since, string, struct


@body(LEAVE_GROUP)
class LeaveGroupRequest:
    group_id: string
    member_id: string = since(0, until=2, default="")
    members: list[MemberIdentity] = since(3, factory=list)


@struct
class MemberIdentity:
    member_id: string = since(3, default="")
    group_instance_id: string | None = since(3, default=None)
    reason: string | None = since(5, default=None)


@body(LEAVE_GROUP)
class LeaveGroupResponse:
    throttle_time_ms: int32 = since(1, default=0)
    error_code: int16 = 0
    members: list[MemberResponse] = since(3, factory=list)


@struct
class MemberResponse:
    member_id: string = since(3, default="")
    group_instance_id: string | None = since(3, default="")
    error_code: int16 = since(3, default=0)
