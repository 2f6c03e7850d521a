"""``__consumer_offsets``: the leader of one of its partitions coordinates each group."""

from __future__ import annotations

from broker.config import Config
from broker.controller.metadata.image import GROUP_METADATA_TOPIC, Broker, MetadataImage, TopicImage
from broker.coordinators.internal_topic import (
    InternalTopic,
    TopicCreator,
    coordinator_for,
    ensure_internal_topic,
)


def ensure_offsets_topic(controller: TopicCreator, config: Config) -> TopicImage:
    """Return the topic, and create it if it does not exist.

    Raises `ApiError` COORDINATOR_NOT_AVAILABLE if no node runs.
    """
    topic = InternalTopic(
        name=GROUP_METADATA_TOPIC,
        partition_count=config.offsets_topic_num_partitions,
        replication_factor=config.offsets_topic_replication_factor,
        configs={
            "cleanup.policy": "compact",
            "compression.type": "producer",
            "segment.bytes": str(config.offsets_topic_segment_bytes),
        },
    )
    return ensure_internal_topic(controller, topic)


def coordinator_of(group_id: str, image: MetadataImage) -> Broker:
    """The node that coordinates a group according to *image*.

    Raises `ApiError` COORDINATOR_NOT_AVAILABLE if there is none.
    """
    return coordinator_for(group_id, GROUP_METADATA_TOPIC, image)
