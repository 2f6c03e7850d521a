"""Determines the number of partitions of changelog topics (Kafka's ``ChangelogTopics``)."""

from __future__ import annotations

from collections.abc import Collection

from broker.groups.streams.topics.errors import refuse_topology
from broker.groups.streams.topics.partition_counts import KnownPartitionCount
from broker.groups.streams.topology import Subtopology


def changelog_topics(
    subtopologies: Collection[Subtopology], partition_count: KnownPartitionCount
) -> dict[str, int]:
    """Return the number of partitions of each changelog: that of the subtopology's largest source.

    Raises `ApiError` STREAMS_INVALID_TOPOLOGY if a subtopology has no source.
    """
    counts: dict[str, int] = {}
    for subtopology in subtopologies:
        sources = subtopology.all_source_topics
        if not sources:
            refuse_topology(f"No source topics found for subtopology {subtopology.subtopology_id}")
        largest = max(map(partition_count, sources))
        counts |= {topic.name: largest for topic in subtopology.state_changelog_topics}
    return counts
