"""A partition's name: the key of logs, of purgatories, of everything that is kept per partition."""

from __future__ import annotations

from typing import NamedTuple


class TopicPartition(NamedTuple):
    """Topic name and partition index; prints as Kafka names the partition's folder."""

    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"
