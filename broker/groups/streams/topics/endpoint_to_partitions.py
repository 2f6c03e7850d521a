"""The partitions that an application instance reads (Kafka's ``EndpointToPartitionsManager``).

Members report them with the endpoint of the instance, so that others know where to send queries of
its state (interactive queries).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from broker.common.errors import ApiError
from broker.common.java_hash import capacity_of_copy, in_hash_order, string_hash
from broker.groups.streams.topics.configured import ConfiguredSubtopology
from broker.groups.streams.topics.partition_counts import PartitionCount
from protocol.errors import ErrorCode

# The partitions of topics that tasks read; two subtopologies may read the same topic.
TopicPartitions = list[tuple[str, tuple[int, ...]]]


def topic_partitions(
    tasks: Mapping[str, Collection[int]],
    subtopologies: Mapping[str, ConfiguredSubtopology],
    partition_count: PartitionCount,
) -> TopicPartitions:
    """Return the partitions of each source topic of *tasks*, which are partitions by subtopology.

    If there are more tasks than the topic has partitions, the first ones are returned, as many as
    the topic has. Partitions are sorted; Kafka's order is that of a hash table.
    Raises `ApiError` UNKNOWN_SERVER_ERROR if a subtopology or a topic does not exist any more.
    """
    result: TopicPartitions = []
    for subtopology_id in in_hash_order(list(tasks), string_hash):
        if subtopology_id not in subtopologies:
            raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)
        partitions = sorted(tasks[subtopology_id])
        for topic in _source_topics(subtopologies[subtopology_id]):
            count = partition_count(topic)
            if count is None:
                raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)
            result.append((topic, tuple(partitions[:count])))
    return result


def _source_topics(subtopology: ConfiguredSubtopology) -> list[str]:
    names = list(
        dict.fromkeys([*subtopology.source_topics, *subtopology.repartition_source_topics])
    )
    capacity = capacity_of_copy(len(subtopology.source_topics))
    return in_hash_order(names, string_hash, capacity)
