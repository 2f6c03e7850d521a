"""Groups, members and topics for tests; the topic ids are 1, 2, 3 for t, u, v."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from broker.controller.metadata.image import MetadataImage, PartitionRegistration, TopicImage
from broker.groups.consumer.group import ConsumerGroup
from broker.groups.consumer.member import ConsumerGroupMember, MemberState
from broker.groups.metadata_image import CoordinatorMetadataImage
from broker.groups.records.consumer import ClassicMemberMetadata, ClassicProtocol
from protocol.consumer_protocol import ConsumerProtocolSubscription, write_subscription

T, U, V = UUID(int=1), UUID(int=2), UUID(int=3)


def member(member_id: str = "m", *topics: str, **fields: Any) -> ConsumerGroupMember:
    """A member that subscribes to *topics*."""
    return ConsumerGroupMember(
        member_id=member_id, subscribed_topic_names=frozenset(topics), **fields
    )


def group_of(*members: ConsumerGroupMember, epoch: int = 2) -> ConsumerGroup:
    """A group whose target assignment is that of its present epoch."""
    group = ConsumerGroup("g")
    group.epoch = group.assignment_epoch = epoch
    for each in members:
        group.put(each)
    return group


def owned(topic_id: UUID, *partitions: int, since: int = 2) -> dict[UUID, dict[int, int]]:
    """Partitions that were assigned in epoch *since*."""
    return {topic_id: dict.fromkeys(partitions, since)}


def revoking(member_id: str = "m", **fields: Any) -> ConsumerGroupMember:
    """A member that has to revoke partitions."""
    return member(member_id, state=MemberState.UNREVOKED_PARTITIONS, **fields)


def classic(*topics: str, protocol: str = "range") -> ClassicMemberMetadata:
    """The metadata of a member that uses the classic protocol."""
    subscription = ConsumerProtocolSubscription(topics=list(topics))
    metadata = write_subscription(subscription, 1)
    return ClassicMemberMetadata(
        session_timeout_ms=10_000,
        supported_protocols=[ClassicProtocol(name=protocol, metadata=metadata)],
    )


def image_of(**partitions: int) -> MetadataImage:
    """A cluster with these topics, by partition count."""
    image = MetadataImage("cluster")
    for name, count in partitions.items():
        registration = PartitionRegistration((1,), (1,), 1)
        topic_id = {"t": T, "u": U, "v": V}[name]
        image.put(TopicImage(name, topic_id, {}, (registration,) * count))
    return image


def topics_of(**partitions: int) -> CoordinatorMetadataImage:
    """The metadata image of these topics."""
    image = image_of(**partitions)
    return CoordinatorMetadataImage(lambda: image)
