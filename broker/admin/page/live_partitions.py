"""The partitions that the live page shows, with the offsets of each replica."""

from __future__ import annotations

from itertools import islice
from typing import Any

from broker.admin.facts.live_part import LivePart
from broker.cluster import Cluster
from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import PartitionRegistration

PARTITIONS_MAX = 150


def partition_part(cluster: Cluster) -> LivePart:
    """The partitions by topic; those of internal topics are the last ones."""
    topics = sorted(cluster.controller.image, key=lambda topic: (topic.internal, topic.name))
    keys = (
        (TopicPartition(topic.name, index), registration, topic.internal)
        for topic in topics
        for index, registration in enumerate(topic.partitions)
    )
    shown = list(islice(keys, PARTITIONS_MAX))
    count = sum(len(topic.partitions) for topic in topics)
    return LivePart(count, (_partition(cluster, *each) for each in shown))


def _partition(
    cluster: Cluster, key: TopicPartition, registration: PartitionRegistration, internal: bool
) -> dict[str, Any]:
    return {
        "topic": key.topic,
        "partition": key.partition,
        "internal": internal,
        "leader": registration.leader,
        "leader_epoch": registration.leader_epoch,
        "isr": list(registration.isr),
        "replicas": [_replica(cluster, key, node_id) for node_id in registration.replicas],
    }


def _replica(cluster: Cluster, key: TopicPartition, node_id: int) -> dict[str, Any]:
    """Its offsets are null if the node does not run or does not have the replica."""
    member = cluster.members.get(node_id)
    node = None if member is None else member.node
    replica = None if node is None else node.replicas.partitions.get(key)
    log = None if replica is None else replica.log
    return {
        "node": node_id,
        "log_start_offset": None if log is None else log.log_start_offset,
        "last_stable_offset": None if log is None else log.last_stable_offset,
        "high_watermark": None if log is None else log.high_watermark,
        "log_end_offset": None if log is None else log.log_end_offset,
    }
