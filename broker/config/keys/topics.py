"""Keys of topics and their leaders."""

from __future__ import annotations

from dataclasses import dataclass

from broker.config.key import ANYWHERE, key
from broker.config.kinds import Boolean, int32, int64


@dataclass(kw_only=True)
class TopicKeys:
    """Keys of topics and their leaders."""

    auto_create_topics_enable: bool = key(
        "auto.create.topics.enable",
        Boolean(),
        True,
        "Whether asking for the metadata of a topic creates it.",
    )
    delete_topic_enable: bool = key(
        "delete.topic.enable", Boolean(), True, "Whether DeleteTopics may delete anything."
    )
    num_partitions: int = key(
        "num.partitions", int32(1), 1, "Partitions of a topic whose creator does not say."
    )
    default_replication_factor: int = key(
        "default.replication.factor",
        int32(),
        1,
        "Replicas of a partition whose creator does not say; at most as many as there are nodes.",
    )
    min_insync_replicas: int = key(
        "min.insync.replicas",
        int32(1),
        1,
        "How many replicas must be in sync for a Produce with acks=all to be accepted.",
        change=ANYWHERE,
    )
    unclean_leader_election_enable: bool = key(
        "unclean.leader.election.enable",
        Boolean(),
        False,
        "Whether a replica that is not in sync may become leader, losing records.",
        change=ANYWHERE,
    )
    unclean_leader_election_interval_ms: int = key(
        "unclean.leader.election.interval.ms",
        int64(1),
        300_000,
        "How often it is looked whether a replica that is not in sync must become leader.",
        internal=True,
    )
    auto_leader_rebalance_enable: bool = key(
        "auto.leader.rebalance.enable",
        Boolean(),
        True,
        "Whether leaderships go back to the preferred replicas by themselves.",
    )
    leader_imbalance_check_interval_seconds: int = key(
        "leader.imbalance.check.interval.seconds",
        int64(1),
        300,
        "How often it is looked which leaderships can go back.",
    )
