"""JoinGroup: a member wants to take part in its group's next generation.

Behaviour: parked until the generation begins; refusals and joins that change nothing are answered
at once. The leader's answer lists all members. A client that goes away while it is parked leaves
its member behind, whose timers decide what becomes of it, as in Kafka.

Versions: 0 has no rebalance timeout of its own, 4 a newcomer is given an id first (KIP-394),
5 static members (KIP-345), 7 protocol type, 8 reason (KIP-800), 9 skipping the assignment
(KIP-814).
"""

from __future__ import annotations

from broker.api.handlers.group_wait import members_wait
from broker.api.handlers.parked import Parked
from broker.api.outcome import PARKED, Outcome
from broker.api.request import Request
from broker.groups.classic.requests import JoinGroup, JoinResult, MemberProtocol
from protocol.messages.join_group import (
    JoinGroupRequest,
    JoinGroupResponse,
    JoinGroupResponseMember,
)

_KNOWN_MEMBER_ID_SINCE = 4
_SKIPPING_ASSIGNMENT_SINCE = 9
# Until then "no protocol" is written as an empty name.
_NULL_PROTOCOL_SINCE = 7


def join_group(request: Request[JoinGroupRequest]) -> Outcome:
    """Park the request with its group; it may be answered before this returns."""
    body, version = request.body, request.version
    join = JoinGroup(
        group_id=body.group_id,
        member_id=body.member_id,
        group_instance_id=body.group_instance_id,
        client_id=request.client_id or "",
        client_host=f"/{request.client_host}",
        session_timeout_ms=body.session_timeout_ms,
        rebalance_timeout_ms=(
            body.session_timeout_ms if version == 0 else body.rebalance_timeout_ms
        ),
        protocol_type=body.protocol_type,
        protocols=tuple(MemberProtocol(p.name, bytes(p.metadata)) for p in body.protocols),
        reason=body.reason,
        require_known_member_id=version >= _KNOWN_MEMBER_ID_SINCE,
        supports_skipping_assignment=version >= _SKIPPING_ASSIGNMENT_SINCE,
    )
    absent = None if version >= _NULL_PROTOCOL_SINCE else ""

    def response(result: JoinResult) -> JoinGroupResponse:
        name = result.protocol_name
        return JoinGroupResponse(
            error_code=result.error,
            generation_id=result.generation_id,
            protocol_type=result.protocol_type,
            protocol_name=absent if name is None else name,
            leader=result.leader_id,
            skip_assignment=result.skip_assignment,
            member_id=result.member_id,
            members=[
                JoinGroupResponseMember(
                    member_id=member.member_id,
                    group_instance_id=member.group_instance_id,
                    metadata=member.metadata,
                )
                for member in result.members
            ],
        )

    wait = members_wait(join.group_id, join.rebalance_timeout_ms)
    request.services.groups.join_group(join, Parked(request, response, wait))
    return PARKED
