"""Computes the target assignment of a group (Kafka's ``TargetAssignmentBuilder``)."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from broker.groups.consumer.assignors import Assignor
from broker.groups.consumer.assignors.spec import GroupSpec, MemberSpec
from broker.groups.consumer.draft import GroupDraft
from broker.groups.consumer.group import ConsumerGroup
from broker.groups.member_order import in_assignment_order
from broker.groups.metadata_image import CoordinatorMetadataImage


def write_target_assignment(
    draft: GroupDraft, assignor: Assignor, topics: CoordinatorMetadataImage, now_wall_ms: int
) -> None:
    """Write the target assignments that change in the present epoch of the drafted group."""
    spec = group_spec(draft.group, draft.former.members, topics)
    assignment = assignor(spec)
    before = draft.group.target
    for member_id in spec.members:
        target = {
            topic_id: partitions
            for topic_id, partitions in assignment.get(member_id, {}).items()
            if partitions
        }
        if target != before.get(member_id):
            draft.write_target(member_id, target)
    draft.write_assignment_epoch(draft.group.epoch, now_wall_ms)


def group_spec(
    group: ConsumerGroup, former: Collection[str], topics: CoordinatorMetadataImage
) -> GroupSpec:
    """The input of assignors for a group; topics that do not exist are left out.

    *former* are the ids of the members before the heartbeat.
    """
    members: dict[str, MemberSpec] = {}
    ids_of: dict[frozenset[str], frozenset[UUID]] = {}
    for member_id in in_assignment_order(group.members, former):
        member = group.members[member_id]
        names = group.subscribed_topics(member)
        if names not in ids_of:
            ids_of[names] = topics.ids(names)
        members[member_id] = MemberSpec(
            instance_id=member.instance_id,
            topics=ids_of[names],
            assigned=group.target.get(member_id, {}),
        )
    ids = frozenset().union(*ids_of.values())
    return GroupSpec(
        members=members,
        partition_counts={topic_id: topics.partition_count(topic_id) for topic_id in ids},
        is_homogeneous=group.is_homogeneous,
    )
