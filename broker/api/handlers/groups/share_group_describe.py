"""ShareGroupDescribe: members, epochs and assignments of share groups (KIP-932).

Behaviour: see `broker.api.handlers.groups.described_groups`.

Versions: only 1.

Deviations: the response contains state that has been written but not replicated; Kafka describes
the last replicated state.
"""

from __future__ import annotations

from functools import partial

from broker.api.handlers.groups.described_groups import assigned_topics, described_groups
from broker.api.handlers.request_checks import require_share_groups
from broker.api.request import Request
from broker.common.error_messages import message_of
from broker.groups.share.group import ShareGroup
from broker.groups.share.member import ShareGroupMember
from broker.steps.queue import Slices
from protocol.errors import ErrorCode
from protocol.messages.share_group_describe import (
    Assignment,
    DescribedGroup,
    Member,
    ShareGroupDescribeRequest,
    ShareGroupDescribeResponse,
    TopicPartitions,
)

_ASSIGNOR = "simple"


def share_group_describe(
    request: Request[ShareGroupDescribeRequest],
) -> Slices[ShareGroupDescribeResponse]:
    """Describe each group."""
    require_share_groups(request)
    groups = yield from described_groups(
        request,
        request.services.groups.share.group,
        partial(_group, request),
        _refused,
        lambda group: assigned_topics(member.assignment for member in group.members),
    )
    return ShareGroupDescribeResponse(groups=groups)


def _group(
    request: Request[ShareGroupDescribeRequest], group: ShareGroup
) -> Slices[DescribedGroup]:
    members = []
    for member in group.members.values():
        members.append(_member(request, member))
        yield None
    return DescribedGroup(
        group_id=group.group_id,
        group_state=group.state_name,
        group_epoch=group.epoch,
        assignment_epoch=group.assignment_epoch,
        assignor_name=_ASSIGNOR,
        members=members,
    )


def _refused(
    *, group_id: str, error_code: int, members: list[Member], error_message: str | None = None
) -> DescribedGroup:
    """Errors of the coordinator have messages (``getErrorDescribedGroupList`` of the request)."""
    return DescribedGroup(
        group_id=group_id,
        error_code=error_code,
        error_message=error_message or message_of(ErrorCode(error_code)),
        members=members,
    )


def _member(request: Request[ShareGroupDescribeRequest], member: ShareGroupMember) -> Member:
    topics = request.services.groups.share.topics
    assigned = [
        TopicPartitions(topic_id=topic_id, topic_name=name, partitions=list(partitions))
        for topic_id, partitions in member.assigned.items()
        if (name := topics.name_of(topic_id)) is not None
    ]
    return Member(
        member_id=member.member_id,
        rack_id=member.rack_id,
        member_epoch=member.member_epoch,
        client_id=member.client_id,
        client_host=member.client_host,
        subscribed_topic_names=sorted(member.subscribed_topic_names),
        assignment=Assignment(topic_partitions=assigned),
    )
