"""``__transaction_state``: a transactional id is coordinated by the leader of its partition."""

from __future__ import annotations

from broker.config import Config
from broker.controller.metadata.image import TRANSACTION_STATE_TOPIC
from broker.coordinators.internal_topic import InternalTopic


def transaction_state_topic(config: Config) -> InternalTopic:
    """The topic with the settings of *config*."""
    return InternalTopic(
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
