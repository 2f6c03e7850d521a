"""ConsumerGroupDescribe: members, epochs and assignments of groups of the consumer protocol.

Behaviour: each group has its own error; a group id that occurs twice is described twice. Classic
groups are GROUP_ID_NOT_FOUND, so that clients use DescribeGroups for them. Groups that the client
may not describe come first. A group with an assigned topic that it may not describe has no members
in the response.

Versions: 1 whether a member uses the classic protocol (KIP-1099).

Deviations: the response contains state that has been written but not replicated; Kafka describes
the last replicated state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from uuid import UUID

from broker.api.authorization.authorized_operations import (
    NOT_REQUESTED,
    authorized_operations,
)
from broker.api.authorization.check import DESCRIBE_GROUP, DESCRIBE_TOPIC
from broker.api.authorization.checks import unauthorized
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.groups.consumer.group import ConsumerGroup
from broker.groups.consumer.member import ConsumerGroupMember
from broker.security.resource import ResourceType
from broker.steps.queue import Slices
from protocol.errors import ErrorCode
from protocol.messages.consumer_group_describe import (
    Assignment,
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
    DescribedGroup,
    Member,
    TopicPartitions,
)

_CLASSIC_MEMBER, _CONSUMER_MEMBER = 0, 1
_HAS_HIDDEN_TOPICS = (
    "The group has described topic(s) that the client is not authorized to describe."
)


def consumer_group_describe(
    request: Request[ConsumerGroupDescribeRequest],
) -> Slices[ConsumerGroupDescribeResponse]:
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
        yield None
    if body.include_authorized_operations:
        for group in groups:
            if not group.error_code:
                group.authorized_operations = authorized_operations(
                    request, ResourceType.GROUP, group.group_id
                )
    return ConsumerGroupDescribeResponse(groups=groups)


def _without_hidden_topics(
    request: Request[ConsumerGroupDescribeRequest], group: DescribedGroup
) -> Slices[DescribedGroup]:
    """The group, or an error if it has a topic that the client may not describe."""
    names = (
        topic.topic_name
        for member in group.members
        for assignment in (member.assignment, member.target_assignment)
        for topic in assignment.topic_partitions
    )
    if not (yield from unauthorized(request, DESCRIBE_TOPIC, names)):
        return group
    return DescribedGroup(
        group_id=group.group_id,
        error_code=DESCRIBE_TOPIC.error_code,
        error_message=_HAS_HIDDEN_TOPICS,
        members=[],
    )


def _group(request: Request[ConsumerGroupDescribeRequest], group_id: str) -> Slices[DescribedGroup]:
    """Describe one group, which heartbeats between two slices replace and do not change."""
    groups = request.services.groups
    try:
        if not group_id:
            raise ApiError(ErrorCode.INVALID_GROUP_ID)
        groups.runtime.check(group_id)
        group = groups.consumers.group(group_id)
    except ApiError as error:
        return DescribedGroup(
            group_id=group_id, error_code=error.code, error_message=error.message, members=[]
        )
    members: list[Member] = []
    for member in group.members.values():
        members += [(yield from _member(request, group, member))]
    assignor = group.preferred_assignor() or groups.consumers.default_assignor
    return DescribedGroup(
        group_id=group_id,
        group_state=group.state_name,
        group_epoch=group.epoch,
        assignment_epoch=group.assignment_epoch,
        assignor_name=assignor,
        members=members,
        authorized_operations=NOT_REQUESTED,
    )


def _member(
    request: Request[ConsumerGroupDescribeRequest],
    group: ConsumerGroup,
    member: ConsumerGroupMember,
) -> Slices[Member]:
    target = group.target.get(member.member_id, {})
    assignment = yield from _assignment(request, member.owned)
    target_assignment = yield from _assignment(request, target)
    return Member(
        member_id=member.member_id,
        instance_id=member.instance_id,
        rack_id=member.rack_id,
        member_epoch=member.member_epoch,
        client_id=member.client_id,
        client_host=member.client_host,
        subscribed_topic_names=sorted(member.subscribed_topic_names),
        subscribed_topic_regex=member.subscribed_topic_regex,
        assignment=assignment,
        target_assignment=target_assignment,
        member_type=_CLASSIC_MEMBER if member.uses_classic_protocol else _CONSUMER_MEMBER,
    )


def _assignment(
    request: Request[ConsumerGroupDescribeRequest], assigned: Mapping[UUID, Iterable[int]]
) -> Slices[Assignment]:
    topics = request.services.groups.consumers.topics
    described = []
    for topic_id, partitions in assigned.items():
        name = topics.name_of(topic_id)
        if name is not None:
            described.append(
                TopicPartitions(topic_id=topic_id, topic_name=name, partitions=sorted(partitions))
            )
        yield None
    return Assignment(topic_partitions=described)
