"""ConsumerGroupDescribe: members, epochs and assignments of groups of the consumer protocol.

Behaviour: see `broker.api.handlers.groups.described_groups`. Classic groups are GROUP_ID_NOT_FOUND,
so that clients use DescribeGroups for them.

Versions: 1 whether a member uses the classic protocol (KIP-1099).

Deviations: the response contains state that has been written but not replicated; Kafka describes
the last replicated state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from uuid import UUID

from broker.api.authorization.authorized_operations import NOT_REQUESTED
from broker.api.handlers.groups.described_groups import assigned_topics, described_groups
from broker.api.handlers.groups.enabled_protocols import require_protocol
from broker.api.request import Request
from broker.groups.consumer.group import ConsumerGroup
from broker.groups.consumer.member import ConsumerGroupMember
from broker.groups.group import CONSUMER
from broker.steps.queue import Slices
from protocol.messages.consumer_group_describe import (
    Assignment,
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
    DescribedGroup,
    Member,
    TopicPartitions,
)

_CLASSIC_MEMBER, _CONSUMER_MEMBER = 0, 1


def consumer_group_describe(
    request: Request[ConsumerGroupDescribeRequest],
) -> Slices[ConsumerGroupDescribeResponse]:
    """Describe each group."""
    require_protocol(request, CONSUMER)
    groups = yield from described_groups(
        request,
        request.services.groups.consumers.group,
        partial(_group, request),
        DescribedGroup,
        _topic_names,
    )
    return ConsumerGroupDescribeResponse(groups=groups)


def _topic_names(group: DescribedGroup) -> Iterable[str]:
    """The topics of the assignments and of the target assignments."""
    return assigned_topics(
        assignment
        for member in group.members
        for assignment in (member.assignment, member.target_assignment)
    )


def _group(
    request: Request[ConsumerGroupDescribeRequest], group: ConsumerGroup
) -> Slices[DescribedGroup]:
    """Describe one group, which heartbeats between two slices replace and do not change."""
    members: list[Member] = []
    for member in group.members.values():
        members += [(yield from _member(request, group, member))]
    assignor = group.preferred_assignor() or request.services.groups.consumers.default_assignor
    return DescribedGroup(
        group_id=group.group_id,
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
