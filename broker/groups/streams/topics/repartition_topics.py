"""Determines the number of partitions of repartition topics (Kafka's ``RepartitionTopics``).

A repartition topic whose number is not fixed gets that of the largest source of the subtopology
that writes it. The sources may be repartition topics themselves, so this is repeated until all
numbers are known. As in Kafka, sources whose number is not known yet do not count: the order of the
subtopologies decides.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from broker.groups.streams.topics.errors import refuse_topology
from broker.groups.streams.topics.partition_counts import PartitionCount
from broker.groups.streams.topology import Subtopology


def repartition_topics(
    subtopologies: Collection[Subtopology], partition_count: PartitionCount
) -> dict[str, int]:
    """Return the number of partitions of each repartition topic.

    Raises `ApiError` STREAMS_INVALID_TOPOLOGY if a number cannot be determined.
    """
    counts = {
        topic.name: topic.partitions
        for subtopology in subtopologies
        for topic in subtopology.repartition_source_topics
        if topic.partitions != 0
    }
    while _unknown_sinks(subtopologies, counts):
        if not _determine_once(subtopologies, counts, partition_count):
            refuse_topology(
                "Failed to compute number of partitions for all repartition topics. "
                "There may be loops in the topology that cannot be resolved."
            )
    if any(
        topic.name not in counts
        for subtopology in subtopologies
        for topic in subtopology.repartition_source_topics
    ):
        refuse_topology(
            "Failed to compute number of partitions for all repartition topics, because "
            "a repartition source topic is never used as a sink topic."
        )
    return counts


def _unknown_sinks(subtopologies: Collection[Subtopology], counts: Mapping[str, int]) -> bool:
    return any(
        sink not in counts
        for subtopology in subtopologies
        for sink in subtopology.repartition_sink_topics
    )


def _determine_once(
    subtopologies: Collection[Subtopology],
    counts: dict[str, int],
    partition_count: PartitionCount,
) -> bool:
    """Visit each subtopology once; returns whether *counts* has more topics."""
    known = len(counts)
    for subtopology in subtopologies:
        for sink in subtopology.repartition_sink_topics:
            if sink not in counts:
                largest = _largest_source(subtopology, counts, partition_count)
                if largest is not None:
                    counts[sink] = largest
    return len(counts) > known


def _largest_source(
    subtopology: Subtopology, counts: Mapping[str, int], partition_count: PartitionCount
) -> int | None:
    repartition = [counts.get(each.name) for each in subtopology.repartition_source_topics]
    external = [partition_count(topic) for topic in subtopology.source_topics]
    known = [count for count in (*repartition, *external) if count is not None]
    return max(known, default=None)
