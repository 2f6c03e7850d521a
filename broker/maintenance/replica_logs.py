"""The logs of a partition on all running nodes, and what work on them has changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from broker.common.counted import counted
from broker.common.errors import NoSuchPartition
from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import MetadataImage
from broker.node import Node
from broker.storage.log.unified_log import UnifiedLog
from protocol.printable import printable


class ReplicaLog(NamedTuple):
    """The log of one replica, and its size before the work."""

    node: Node
    log: UnifiedLog
    segments: int
    size_bytes: int


def partitions_of(image: MetadataImage, topic: str, partition: int | None) -> list[TopicPartition]:
    """The partition, or all of the topic if it is None; raises `NoSuchPartition`."""
    found = image.topic(topic)
    if found is None:
        raise NoSuchPartition(f"there is no topic {printable(topic)!r}")
    count = len(found.partitions)
    if partition is None:
        return [TopicPartition(topic, index) for index in range(count)]
    if partition >= count:
        name, have = printable(topic), counted(count, "partition")
        raise NoSuchPartition(f"there is no {name}-{partition}; {name} has {have}")
    return [TopicPartition(topic, partition)]


def replica_logs(nodes: Iterable[Node], key: TopicPartition) -> Iterator[ReplicaLog]:
    """The logs of *key* on the running nodes."""
    for node in nodes:
        log = node.logs.get(key)
        if log is not None:
            yield ReplicaLog(node, log, len(log.segments), log.segments.size_bytes)


def partition_facts(
    image: MetadataImage, key: TopicPartition, replicas: Sequence[ReplicaLog]
) -> dict[str, Any]:
    """The leader of the partition, and its logs before and after the work."""
    topic = image.topic(key.topic)
    registered = None if topic is None else topic.partitions[key.partition]
    return {
        "topic": key.topic,
        "partition": key.partition,
        "leader": -1 if registered is None else registered.leader,
        "leader_epoch": -1 if registered is None else registered.leader_epoch,
        "replicas": [_log_facts(each) for each in replicas],
    }


def _log_facts(replica: ReplicaLog) -> dict[str, Any]:
    node, log, segments, size_bytes = replica
    return {
        "node": node.id,
        "segments_before": segments,
        "segments": len(log.segments),
        "bytes_before": size_bytes,
        "bytes": log.segments.size_bytes,
        "log_start_offset": log.log_start_offset,
        "log_end_offset": log.log_end_offset,
    }
