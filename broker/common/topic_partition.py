"""The name of a partition: the key of logs, purgatories and other state of partitions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class TopicPartition(NamedTuple):
    """Topic name and partition index; as text it is the name of the partition's folder in Kafka."""

    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


def by_topic(partitions: Iterable[TopicPartition]) -> dict[str, list[int]]:
    """The partition indexes of each topic; topics and indexes are in the order of *partitions*."""
    topics: dict[str, list[int]] = {}
    for topic, partition in partitions:
        indexes = topics.get(topic)
        if indexes is None:
            topics[topic] = [partition]
        else:
            indexes.append(partition)
    return topics
