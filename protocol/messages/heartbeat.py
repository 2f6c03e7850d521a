"""Heartbeat: extends a member's session; the response says whether the group is rebalancing.

v1 throttle time, v3 static members (KIP-345), v4 flexible.
"""

from __future__ import annotations

from protocol.apis import HEARTBEAT
from protocol.schema import body, int16, int32, since, string


@body(HEARTBEAT)
class HeartbeatRequest:
    group_id: string
    generation_id: int32
    member_id: string
    group_instance_id: string | None = since(3, default=None)


@body(HEARTBEAT)
class HeartbeatResponse:
    throttle_time_ms: int32 = since(1, default=0)
    error_code: int16 = 0
