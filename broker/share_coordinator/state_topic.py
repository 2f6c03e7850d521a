"""``__share_group_state``: the leader of one of its partitions coordinates each share partition."""

from __future__ import annotations

from broker.config import Config
from broker.controller.metadata.image import SHARE_GROUP_STATE_TOPIC
from broker.coordinators.internal_topic import InternalTopic


def share_state_topic(config: Config) -> InternalTopic:
    """The topic with the settings of *config*."""
    return InternalTopic(
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
