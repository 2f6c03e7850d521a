"""``__consumer_offsets``: the leader of one of its partitions coordinates each group."""

from __future__ import annotations

from broker.config import Config
from broker.controller.metadata.image import GROUP_METADATA_TOPIC
from broker.coordinators.internal_topic import InternalTopic


def offsets_topic(config: Config) -> InternalTopic:
    """The topic with the settings of *config*."""
    return InternalTopic(
        name=GROUP_METADATA_TOPIC,
        partition_count=config.offsets_topic_num_partitions,
        replication_factor=config.offsets_topic_replication_factor,
        configs={
            "cleanup.policy": "compact",
            "compression.type": "producer",
            "segment.bytes": str(config.offsets_topic_segment_bytes),
        },
    )
