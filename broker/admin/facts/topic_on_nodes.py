"""What each running node knows of a topic."""

from __future__ import annotations

from collections.abc import Iterable

from broker.admin.facts.json_object import JsonObject
from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import PartitionRegistration
from broker.node import Node


def topic_on_nodes(nodes: Iterable[Node], topic: str) -> list[JsonObject]:
    """Of each node: ``node`` and ``partitions``, which is null if it does not know the topic.

    A partition has ``leader`` (-1: none) and ``serves``: whether the node has begun to lead it.
    """
    return [{"node": node.id, "partitions": _partitions(node, topic)} for node in nodes]


def _partitions(node: Node, topic: str) -> list[JsonObject] | None:
    known = node.image.topic(topic)
    if known is None:
        return None
    return [
        _partition(node, TopicPartition(topic, index), registration)
        for index, registration in enumerate(known.partitions)
    ]


def _partition(node: Node, key: TopicPartition, registration: PartitionRegistration) -> JsonObject:
    replica = node.replicas.partitions.get(key)
    return {
        "partition": key.partition,
        "leader": registration.leader,
        "serves": replica is not None and replica.is_leader,
    }
