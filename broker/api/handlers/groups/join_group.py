"""JoinGroup: a member joins its group's next generation.

Behaviour: the request is parked until the generation begins; errors, and joins that change nothing,
are responded to at once. The leader's response lists all members. As in Kafka, a client that
disconnects while its request is parked leaves its member in the group until the member's timers
expire. A join may begin the resolution of a consumer group's regular expressions, which match the
topics that the client may describe.

Deviation: a request with a member id that an empty consumer or streams group refuses leaves the
group in place; Kafka 4.3 lists it, but does not find it any more for commits, heartbeats and
DeleteGroups.

Versions: 0 no rebalance timeout, 4 a new member gets an id first (KIP-394), 5 static members
(KIP-345), 7 protocol type, 8 reason (KIP-800), 9 skipping the assignment (KIP-814).
"""

from __future__ import annotations

from broker.api.authorization.check import READ_GROUP
from broker.api.authorization.checks import require
from broker.api.handlers.group_wait import members_wait
from broker.api.handlers.groups.visible_topics import visible_topics
from broker.api.handlers.response_callback import ResponseCallback
from broker.api.long_request import ITEMS_AT_ONCE
from broker.api.outcome import PARKED, Outcome
from broker.api.request import Request
from broker.groups.classic.member_protocol import PARSED_AT_ONCE_BYTES, MemberProtocol
from broker.groups.classic.requests import JoinGroup, JoinResult
from broker.steps.queue import Slices, finish, map_in_slices
from protocol.consumer_protocol import PROTOCOL_TYPE
from protocol.messages.join_group import (
    JoinGroupRequest,
    JoinGroupRequestProtocol,
    JoinGroupResponse,
    JoinGroupResponseMember,
)

_KNOWN_MEMBER_ID_SINCE = 4
_SKIPPING_ASSIGNMENT_SINCE = 9
# Older versions write "no protocol" as an empty name.
_NULL_PROTOCOL_SINCE = 7


def join_group(request: Request[JoinGroupRequest]) -> Outcome | Slices[Outcome]:
    """Park the request with its group; the response may be sent before this returns.

    Many protocols are read in slices, and long subscriptions are parsed in slices. Kafka has no
    limit for the topics of a subscription; here that of a request applies, and the topics of a
    group are unknown if a member has more.
    """
    body = request.body
    require(request, READ_GROUP, body.group_id)
    slices = _join_group(request)
    is_long = len(body.protocols) > ITEMS_AT_ONCE or any(map(_is_long, body.protocols))
    return slices if is_long else finish(slices)


def _join_group(request: Request[JoinGroupRequest]) -> Slices[Outcome]:
    body, version = request.body, request.version
    protocols = yield from map_in_slices(_protocol, body.protocols)
    names = set[str]()
    yield from map_in_slices(names.add, (protocol.name for protocol in protocols))
    if body.protocol_type == PROTOCOL_TYPE:
        for protocol in protocols:
            if _is_long(protocol):
                yield from protocol.parse()
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
        protocols=tuple(protocols),
        reason=body.reason,
        require_known_member_id=version >= _KNOWN_MEMBER_ID_SINCE,
        supports_skipping_assignment=version >= _SKIPPING_ASSIGNMENT_SINCE,
        collected_names=frozenset(names),
        is_topic_visible=visible_topics(request),
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

    groups = request.services.groups
    wait = members_wait(groups.rebalance_limit, join.group_id, join.rebalance_timeout_ms)
    groups.join_group(join, ResponseCallback(request, response, wait))
    return PARKED


def _is_long(protocol: JoinGroupRequestProtocol | MemberProtocol) -> bool:
    return len(protocol.metadata) > PARSED_AT_ONCE_BYTES


def _protocol(protocol: JoinGroupRequestProtocol) -> MemberProtocol:
    return MemberProtocol(protocol.name, bytes(protocol.metadata))
