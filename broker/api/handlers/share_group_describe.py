"""ShareGroupDescribe: members, epochs and assignments of share groups (KIP-932).

Behaviour: each group has its own error; groups of other types are GROUP_ID_NOT_FOUND. Groups that
the client may not describe come first. A group with an assigned topic that it may not describe has
no members in the response.

Versions: only 1.

Deviations: the response contains state that has been written but not replicated; Kafka describes
the last replicated state.
"""

from __future__ import annotations

from broker.api.authorization.authorized_operations import authorized_operations
from broker.api.authorization.check import DESCRIBE_GROUP, DESCRIBE_TOPIC
from broker.api.authorization.checks import unauthorized
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.groups.share.member import ShareGroupMember
from broker.security.resource import ResourceType
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
_HAS_HIDDEN_TOPICS = (
    "The group has described topic(s) that the client is not authorized to describe."
)


def share_group_describe(
    request: Request[ShareGroupDescribeRequest],
) -> Slices[ShareGroupDescribeResponse]:
    """Describe each group."""
    body = request.body
    hidden = yield from unauthorized(request, DESCRIBE_GROUP, body.group_ids)
    groups = [
        DescribedGroup(group_id=group_id, error_code=DESCRIBE_GROUP.error_code, members=[])
        for group_id in body.group_ids
        if group_id in hidden
    ]
    for group_id in body.group_ids:
        if group_id not in hidden:
            group = yield from _group(request, group_id)
            groups.append((yield from _without_hidden_topics(request, group)))
    if body.include_authorized_operations:
        for group in groups:
            if not group.error_code:
                group.authorized_operations = authorized_operations(
                    request, ResourceType.GROUP, group.group_id
                )
    return ShareGroupDescribeResponse(groups=groups)


def _group(request: Request[ShareGroupDescribeRequest], group_id: str) -> Slices[DescribedGroup]:
    groups = request.services.groups
    try:
        if not group_id:
            raise ApiError(ErrorCode.INVALID_GROUP_ID)
        groups.runtime.check(group_id)
        group = groups.share.group(group_id)
    except ApiError as error:
        return DescribedGroup(
            group_id=group_id, error_code=error.code, error_message=error.message, members=[]
        )
    members = []
    for member in group.members.values():
        members.append(_member(request, member))
        yield None
    return DescribedGroup(
        group_id=group_id,
        group_state=group.state_name,
        group_epoch=group.epoch,
        assignment_epoch=group.assignment_epoch,
        assignor_name=_ASSIGNOR,
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


def _without_hidden_topics(
    request: Request[ShareGroupDescribeRequest], group: DescribedGroup
) -> Slices[DescribedGroup]:
    """The group, or an error if it has a topic that the client may not describe."""
    names = (
        topic.topic_name for member in group.members for topic in member.assignment.topic_partitions
    )
    if not (yield from unauthorized(request, DESCRIBE_TOPIC, names)):
        return group
    return DescribedGroup(
        group_id=group.group_id,
        error_code=DESCRIBE_TOPIC.error_code,
        error_message=_HAS_HIDDEN_TOPICS,
        members=[],
    )
