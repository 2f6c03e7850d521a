"""SyncGroup: the leader sends the assignments, and each member receives its own.

v3 static members (KIP-345), v4 flexible, v5 protocol type and name (KIP-559).
"""

from __future__ import annotations

from protocol.schema import data, int16, int32, message, since, string, struct


@message(14, versions=(0, 5), flexible=4)
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


@message(14, versions=(0, 5), flexible=4)
class SyncGroupResponse:
    throttle_time_ms: int32 = since(1, default=0)
    error_code: int16 = 0
    protocol_type: string | None = since(5, default=None)
    protocol_name: string | None = since(5, default=None)
    assignment: data
