"""The numbers of partitions of topics, of the cluster and of topics to create."""

from __future__ import annotations

from collections.abc import Callable, Mapping

# Returns the number of partitions of a topic; None if there is no such topic.
PartitionCount = Callable[[str], int | None]
# Returns the number of partitions of a topic that exists, or whose number was determined.
KnownPartitionCount = Callable[[str], int]


def known_partition_count(
    existing: PartitionCount, determined: Mapping[str, int]
) -> KnownPartitionCount:
    """The number of a topic of the cluster, or else the one in *determined*."""

    def count_of(topic: str) -> int:
        count = existing(topic)
        return determined[topic] if count is None else count

    return count_of
