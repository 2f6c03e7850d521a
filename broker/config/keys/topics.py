"""Keys of topics and their leaders."""

from __future__ import annotations

from broker.config.key import CLUSTER_WIDE, key
from broker.config.kinds import Boolean, int32, int64
from protocol.lazy_dataclass import dataclass


@dataclass(kw_only=True)
class TopicKeys:
    """Keys of topics and their leaders."""

    auto_create_topics_enable: bool = key(
        "auto.create.topics.enable",
        Boolean(),
        True,
        "Whether a Metadata request for a topic creates it.",
    )
    delete_topic_enable: bool = key(
        "delete.topic.enable", Boolean(), True, "Whether DeleteTopics is allowed."
    )
    num_partitions: int = key(
        "num.partitions", int32(1), 1, "The default number of partitions of a topic."
    )
    default_replication_factor: int = key(
        "default.replication.factor",
        int32(),
        1,
        "The default replication factor of a topic, limited to the number of nodes.",
    )
    min_insync_replicas: int = key(
        "min.insync.replicas",
        int32(1),
        1,
        "How many replicas must be in sync for a Produce with acks=all to be accepted.",
        update_mode=CLUSTER_WIDE,
    )
    unclean_leader_election_enable: bool = key(
        "unclean.leader.election.enable",
        Boolean(),
        False,
        "Whether a replica that is not in sync may become leader, which loses records.",
        update_mode=CLUSTER_WIDE,
    )
    unclean_leader_election_interval_ms: int = key(
        "unclean.leader.election.interval.ms",
        int64(1),
        300_000,
        "How often unclean leader elections are held where they are allowed.",
        internal=True,
    )
    auto_leader_rebalance_enable: bool = key(
        "auto.leader.rebalance.enable",
        Boolean(),
        True,
        "Whether leadership periodically returns to the preferred replicas.",
    )
    leader_imbalance_check_interval_seconds: int = key(
        "leader.imbalance.check.interval.seconds",
        int64(1),
        300,
        "How often leadership returns to the preferred replicas.",
    )
