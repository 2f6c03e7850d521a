"""A leader's request to change the ISR of a partition, and its validation."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import (
    Broker,
    MetadataImage,
    PartitionRegistration,
    TopicImage,
)
from protocol.errors import ErrorCode
from protocol.lazy_dataclass import dataclass


@dataclass(slots=True, frozen=True)
class AlterPartition:
    """One partition of an AlterPartition request.

    ``new_isr_epochs``: the broker epochs in which the leader knows the members of ``new_isr``, -1
    where unknown (KIP-903).
    """

    key: TopicPartition
    topic_id: UUID
    node_id: int
    broker_epoch: int
    leader_epoch: int
    partition_epoch: int
    new_isr: tuple[int, ...]
    new_isr_epochs: tuple[int, ...]


def validate_alter_partition(change: AlterPartition, image: MetadataImage) -> TopicImage:
    """The topic of the partition; raises `ApiError`.

    In the order of Kafka's ``ReplicationControlManager.validateAlterPartitionData``.
    """
    _check_broker(change, image.brokers.get(change.node_id))
    topic = image.topic_by_id(change.topic_id)
    if topic is None:
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_ID)
    if not 0 <= change.key.partition < len(topic.partitions):
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    _check_partition(change, topic.partitions[change.key.partition], image.brokers)
    return topic


def _check_broker(change: AlterPartition, broker: Broker | None) -> None:
    if broker is None or broker.epoch != change.broker_epoch:
        raise ApiError(ErrorCode.STALE_BROKER_EPOCH)


def _check_partition(
    change: AlterPartition, known: PartitionRegistration, brokers: Mapping[int, Broker]
) -> None:
    if change.leader_epoch > known.leader_epoch or change.partition_epoch > known.partition_epoch:
        raise ApiError(ErrorCode.NOT_CONTROLLER)
    if change.leader_epoch < known.leader_epoch:
        raise ApiError(ErrorCode.FENCED_LEADER_EPOCH)
    if change.node_id != known.leader:
        raise ApiError(ErrorCode.INVALID_REQUEST)
    if change.partition_epoch < known.partition_epoch:
        raise ApiError(ErrorCode.INVALID_UPDATE_VERSION)
    wanted = set(change.new_isr)
    if len(wanted) != len(change.new_isr) or not wanted <= set(known.replicas):
        raise ApiError(ErrorCode.INVALID_REQUEST)
    if known.leader not in wanted:
        raise ApiError(ErrorCode.INVALID_REQUEST)
    for node_id, epoch in zip(change.new_isr, change.new_isr_epochs, strict=True):
        if not _is_eligible(brokers.get(node_id), epoch):
            raise ApiError(ErrorCode.INELIGIBLE_REPLICA)


def _is_eligible(broker: Broker | None, known_epoch: int) -> bool:
    """Alive, in the epoch that the leader knows: in another epoch it may lack records."""
    return broker is not None and not broker.fenced and known_epoch in (-1, broker.epoch)
