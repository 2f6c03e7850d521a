"""SyncGroup: the leader sends the assignments, and each member receives its own.

v3 static members (KIP-345), v4 flexible, v5 protocol type and name (KIP-559).
"""

from __future__ import annotations

from protocol.apis import SYNC_GROUP
from protocol.schema import body, data, int16, int32, since, string, struct


@body(SYNC_GROUP)
class SyncGroupRequest:
    group_id: string
    generation_id: int32
    member_id: string
    group_instance_id: string | None = since(3, default=None)
    protocol_type: string | None = since(5, default=None)
    protocol_name: string | None = since(5, default=None)
    assignments: list[SyncGroupRequestAssignment]


@struct
class SyncGroupRequestAssignment:
    member_id: string
    assignment: data


@body(SYNC_GROUP)
class SyncGroupResponse:
    throttle_time_ms: int32 = since(1, default=0)
    error_code: int16 = 0
    protocol_type: string | None = since(5, default=None)
    protocol_name: string | None = since(5, default=None)
    assignment: data
