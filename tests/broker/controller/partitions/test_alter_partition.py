"""Which ISR changes are refused, and with which errors."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

import pytest

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import (
    Broker,
    MetadataImage,
    PartitionRegistration,
    TopicImage,
)
from broker.controller.partitions.alter_partition import AlterPartition, validate_alter_partition
from protocol.errors import ErrorCode

TOPIC = TopicImage("t", uuid4(), {}, (PartitionRegistration((1, 2, 3), (1, 2, 3), 1, 5, 8),))
GOOD = AlterPartition(TopicPartition("t", 0), TOPIC.topic_id, 1, 11, 5, 8, (1, 2), (11, 12))


def _image() -> MetadataImage:
    image = MetadataImage("cluster")
    for node_id in (1, 2, 3):
        image.put_broker(Broker(node_id, "h", node_id, epoch=10 + node_id, fenced=node_id == 3))
    image.put(TOPIC)
    return image


def test_a_change_of_an_up_to_date_leader_is_valid() -> None:
    """The topic is returned."""
    assert validate_alter_partition(GOOD, _image()) is TOPIC


def test_a_member_without_broker_epoch_is_valid() -> None:
    """The leader does not know its epoch; it does not add it, but keeps it."""
    assert validate_alter_partition(replace(GOOD, new_isr_epochs=(11, -1)), _image()) is TOPIC


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (replace(GOOD, broker_epoch=10), ErrorCode.STALE_BROKER_EPOCH),
        (replace(GOOD, node_id=4), ErrorCode.STALE_BROKER_EPOCH),
        (replace(GOOD, topic_id=uuid4()), ErrorCode.UNKNOWN_TOPIC_ID),
        (replace(GOOD, key=TopicPartition("t", 1)), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        (replace(GOOD, leader_epoch=6), ErrorCode.NOT_CONTROLLER),
        (replace(GOOD, partition_epoch=9), ErrorCode.NOT_CONTROLLER),
        (replace(GOOD, leader_epoch=4), ErrorCode.FENCED_LEADER_EPOCH),
        (replace(GOOD, node_id=2, broker_epoch=12), ErrorCode.INVALID_REQUEST),
        (replace(GOOD, partition_epoch=7), ErrorCode.INVALID_UPDATE_VERSION),
        (replace(GOOD, new_isr=(1, 4)), ErrorCode.INVALID_REQUEST),
        (replace(GOOD, new_isr=(1, 2, 2)), ErrorCode.INVALID_REQUEST),
        (replace(GOOD, new_isr=(2,)), ErrorCode.INVALID_REQUEST),
        (replace(GOOD, new_isr=(1, 3)), ErrorCode.INELIGIBLE_REPLICA),
        (replace(GOOD, new_isr_epochs=(11, 9)), ErrorCode.INELIGIBLE_REPLICA),
    ],
)
def test_other_changes_are_refused(change: AlterPartition, error: ErrorCode) -> None:
    """Kafka's ReplicationControlManagerTest.testInvalidAlterPartitionRequests and similar tests."""
    with pytest.raises(ApiError) as refusal:
        validate_alter_partition(change, _image())

    assert refusal.value.code is error
