"""``__transaction_state``: a transactional id is coordinated by the leader of its partition."""

from __future__ import annotations

from broker.config import Config
from broker.controller.metadata.image import (
    TRANSACTION_STATE_TOPIC,
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


def ensure_state_topic(controller: TopicCreator, config: Config) -> TopicImage:
    """Return the topic, and create it if it does not exist.

    Raises `ApiError` COORDINATOR_NOT_AVAILABLE if no node runs.
    """
    topic = InternalTopic(
        name=TRANSACTION_STATE_TOPIC,
        partition_count=config.transaction_state_log_num_partitions,
        replication_factor=config.transaction_state_log_replication_factor,
        configs={
            "cleanup.policy": "compact",
            "compression.type": "uncompressed",
            "min.insync.replicas": str(config.transaction_state_log_min_isr),
            "segment.bytes": str(config.transaction_state_log_segment_bytes),
            "unclean.leader.election.enable": "false",
        },
    )
    return ensure_internal_topic(controller, topic)


def coordinator_of(transactional_id: str, image: MetadataImage) -> Broker:
    """The node that coordinates a transactional id according to *image*.

    Raises `ApiError` COORDINATOR_NOT_AVAILABLE if there is none.
    """
    return coordinator_for(transactional_id, TRANSACTION_STATE_TOPIC, image)
