"""``__share_group_state``: the leader of one of its partitions coordinates each share partition."""

from __future__ import annotations

from broker.config import Config
from broker.controller.metadata.image import (
    SHARE_GROUP_STATE_TOPIC,
    Broker,
    MetadataImage,
    TopicImage,
)
from broker.coordinators.internal_topic import (
    InternalTopic,
    TopicCreator,
    coordinator_for,
    ensure_internal_topic,
)


def ensure_share_state_topic(controller: TopicCreator, config: Config) -> TopicImage:
    """Return the topic, and create it if it does not exist.

    Raises `ApiError` COORDINATOR_NOT_AVAILABLE if no node runs.
    """
    topic = InternalTopic(
        name=SHARE_GROUP_STATE_TOPIC,
        partition_count=config.share_coordinator_state_topic_num_partitions,
        replication_factor=config.share_coordinator_state_topic_replication_factor,
        configs={
            "cleanup.policy": "delete",
            "compression.type": "producer",
            "min.insync.replicas": str(config.share_coordinator_state_topic_min_isr),
            "retention.ms": "-1",
            "segment.bytes": str(config.share_coordinator_state_topic_segment_bytes),
        },
    )
    return ensure_internal_topic(controller, topic)


def coordinator_of(share_partition: str, image: MetadataImage) -> Broker:
    """The node that coordinates the share partition of that text according to *image*.

    Raises `ApiError` COORDINATOR_NOT_AVAILABLE if there is none.
    """
    return coordinator_for(share_partition, SHARE_GROUP_STATE_TOPIC, image)
