"""Where groups are looked after: each by the leader of one partition of ``__consumer_offsets``.

The partition is found by the hash of the group's name, as in Kafka, so that a group has the same
coordinator whichever node is asked. The topic is made when it is first needed.
"""

from __future__ import annotations

from typing import Protocol

from broker.common.errors import ApiError
from broker.config import Config
from broker.controller.image import GROUP_METADATA_TOPIC, Broker, MetadataImage, TopicImage
from broker.groups.java_hash import string_hash
from protocol.errors import ErrorCode

_INT_MIN = -(2**31)


class Topics(Protocol):
    """The controller, as far as it is needed here."""

    image: MetadataImage

    def create_topic(
        self,
        name: str,
        *,
        partitions: int,
        replication_factor: int,
        configs: dict[str, str],
    ) -> TopicImage:
        """Create a topic; raises `ApiError`."""
        ...


def partition_for(group_id: str, partitions: int) -> int:
    """The partition that a group's records are kept in (``GroupCoordinatorService``)."""
    value = string_hash(group_id)
    # Java has no positive number for its smallest one; Kafka's Utils.abs makes it 0.
    return 0 if value == _INT_MIN else abs(value) % partitions


def ensure_offsets_topic(controller: Topics, config: Config) -> TopicImage:
    """The topic, made if it is not there; fewer nodes than replicas asked for do for a start.

    Raises `ApiError` COORDINATOR_NOT_AVAILABLE while there is no node to have it.
    """
    topic = controller.image.topic(GROUP_METADATA_TOPIC)
    if topic is not None:
        return topic
    nodes = len(controller.image.alive_brokers())
    if nodes == 0:
        raise ApiError(ErrorCode.COORDINATOR_NOT_AVAILABLE)
    return controller.create_topic(
        GROUP_METADATA_TOPIC,
        partitions=config.offsets_topic_num_partitions,
        replication_factor=min(config.offsets_topic_replication_factor, nodes),
        configs={
            "cleanup.policy": "compact",
            "compression.type": "producer",
            "segment.bytes": str(config.offsets_topic_segment_bytes),
        },
    )


def coordinator_of(group_id: str, image: MetadataImage) -> Broker:
    """The node that looks after a group, as *image* has it.

    Raises `ApiError` COORDINATOR_NOT_AVAILABLE while there is none.
    """
    topic = image.topic(GROUP_METADATA_TOPIC)
    if topic is not None:
        partition = topic.partitions[partition_for(group_id, len(topic.partitions))]
        broker = image.brokers.get(partition.leader)
        if broker is not None and not broker.fenced:
            return broker
    raise ApiError(ErrorCode.COORDINATOR_NOT_AVAILABLE)
