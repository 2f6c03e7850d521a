"""Heartbeat: a member says it is alive, and learns whether its group is rebalancing.

Versions: 3 static members (KIP-345), 4 flexible.
"""

from __future__ import annotations

from broker.request import Request
from protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse


def heartbeat(request: Request[HeartbeatRequest]) -> HeartbeatResponse:
    """Prolong the member's session."""
    body = request.body
    error = request.node.groups.heartbeat(
        body.group_id, body.member_id, body.group_instance_id, body.generation_id
    )
    return HeartbeatResponse(error_code=error)
