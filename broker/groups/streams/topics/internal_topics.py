"""Determines the internal topics and tasks of a topology (Kafka's ``InternalTopicManager``)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from broker.common.java_hash import in_hash_order, string_hash
from broker.common.java_strings import java_order
from broker.groups.streams.statuses import StatusCode
from broker.groups.streams.topics.changelog_topics import changelog_topics
from broker.groups.streams.topics.configured import (
    ConfiguredInternalTopic,
    ConfiguredSubtopology,
    ConfiguredTopology,
)
from broker.groups.streams.topics.copartitioned_topics import enforce_copartitioning
from broker.groups.streams.topics.errors import (
    TopicConfigurationError,
    refuse_malformed_topology,
)
from broker.groups.streams.topics.partition_counts import PartitionCount, known_partition_count
from broker.groups.streams.topics.repartition_topics import repartition_topics
from broker.groups.streams.topology import (
    CopartitionGroup,
    InternalTopic,
    StreamsTopology,
    Subtopology,
)

_TOPICS_SHOWN_MAX = 3


def configure(
    topology: StreamsTopology, metadata_hash: int, partition_count: PartitionCount
) -> ConfiguredTopology:
    """Return the tasks and internal topics of *topology* for the topics of the cluster.

    *partition_count* returns the number of partitions of a topic, None if it does not exist. Raises
    `ApiError`: STREAMS_INVALID_TOPOLOGY if no topics would fit the topology, UNKNOWN_SERVER_ERROR
    if it has wrong indexes, negative numbers or duplicates.
    """
    copartitioned = [
        _topics_of(group, subtopology)
        for subtopology in topology.by_id.values()
        for group in subtopology.copartition_groups
    ]
    try:
        _check_source_topics(topology, partition_count)
        determined = _determine(topology, copartitioned, partition_count)
        subtopologies = {
            each: _configured(topology.by_id[each], determined, partition_count)
            for each in sorted(topology.by_id, key=java_order)
        }
        missing = _missing(topology, subtopologies.values(), partition_count)
    except TopicConfigurationError as error:
        return ConfiguredTopology(
            epoch=topology.epoch,
            metadata_hash=metadata_hash,
            subtopologies=None,
            internal_topics_to_create={},
            error=error,
        )
    return ConfiguredTopology(
        epoch=topology.epoch,
        metadata_hash=metadata_hash,
        subtopologies=subtopologies,
        internal_topics_to_create=missing,
        error=_missing_internal_topics(missing) if missing else None,
    )


def _topics_of(group: CopartitionGroup, subtopology: Subtopology) -> list[str]:
    repartition = [each.name for each in subtopology.repartition_source_topics]
    return [
        *_at(group.source_topics, subtopology.source_topics),
        *_at(group.repartition_source_topics, repartition),
    ]


def _at(indexes: Collection[int], topics: Collection[str]) -> Iterator[str]:
    names = dict(enumerate(topics))
    for index in indexes:
        if index not in names:
            refuse_malformed_topology()
        yield names[index]


def _check_source_topics(topology: StreamsTopology, partition_count: PartitionCount) -> None:
    missing = {
        topic
        for subtopology in topology.subtopologies
        for topic in subtopology.source_topics
        if partition_count(topic) is None
    }
    if missing:
        shown = _summary(sorted(missing, key=java_order))
        raise TopicConfigurationError(
            StatusCode.MISSING_SOURCE_TOPICS, f"Source topics {shown} are missing."
        )


def _determine(
    topology: StreamsTopology,
    copartitioned: Collection[Collection[str]],
    partition_count: PartitionCount,
) -> dict[str, int]:
    """The number of partitions of each internal topic."""
    subtopologies = topology.by_id.values()
    determined = repartition_topics(subtopologies, partition_count)
    # Each step reads what the steps before it have added to the same dictionary.
    count_of = known_partition_count(partition_count, determined)
    repartition = [
        topic for subtopology in subtopologies for topic in subtopology.repartition_source_topics
    ]
    fixed = {topic.name for topic in repartition if topic.partitions != 0}
    flexible = {topic.name for topic in repartition if topic.partitions == 0}
    for topics in copartitioned:
        determined |= enforce_copartitioning(topics, fixed, flexible, count_of)
    determined |= changelog_topics(subtopologies, count_of)
    return determined


def _configured(
    subtopology: Subtopology, determined: Mapping[str, int], partition_count: PartitionCount
) -> ConfiguredSubtopology:
    count_of = known_partition_count(partition_count, determined)
    return ConfiguredSubtopology(
        number_of_tasks=max(map(count_of, subtopology.all_source_topics)),
        source_topics=tuple(dict.fromkeys(subtopology.source_topics)),
        repartition_source_topics=_by_name(subtopology.repartition_source_topics, determined),
        repartition_sink_topics=tuple(dict.fromkeys(subtopology.repartition_sink_topics)),
        state_changelog_topics=_by_name(subtopology.state_changelog_topics, determined),
    )


def _by_name(
    topics: Collection[InternalTopic], determined: Mapping[str, int]
) -> Mapping[str, ConfiguredInternalTopic]:
    by_name = {topic.name: _configured_topic(topic, determined) for topic in topics}
    if len(by_name) < len(topics):
        refuse_malformed_topology()
    return {name: by_name[name] for name in in_hash_order(list(by_name), string_hash)}


def _configured_topic(
    topic: InternalTopic, determined: Mapping[str, int]
) -> ConfiguredInternalTopic:
    partitions = topic.partitions or determined[topic.name]
    configs = dict(topic.configs)
    if partitions < 1 or len(configs) < len(topic.configs):
        refuse_malformed_topology()
    return ConfiguredInternalTopic(
        name=topic.name,
        partitions=partitions,
        replication_factor=topic.replication_factor or None,
        configs=tuple((key, configs[key]) for key in in_hash_order(list(configs), string_hash)),
    )


def _missing(
    topology: StreamsTopology,
    subtopologies: Collection[ConfiguredSubtopology],
    partition_count: PartitionCount,
) -> dict[str, ConfiguredInternalTopic]:
    """The internal topics that do not exist; raises for those with other numbers of partitions."""
    internal: dict[str, ConfiguredInternalTopic] = {}
    for subtopology in subtopologies:
        internal |= subtopology.repartition_source_topics
        internal |= subtopology.state_changelog_topics
    for topic in topology.required_topics:
        found = partition_count(topic)
        if topic in internal and found is not None and found != internal[topic].partitions:
            raise TopicConfigurationError(
                StatusCode.INCORRECTLY_PARTITIONED_TOPICS,
                f"Existing topic {topic} has different number of partitions: "
                f"expected {internal[topic].partitions}, found {found}",
            )
    return {
        name: internal[name]
        for name in in_hash_order(list(internal), string_hash)
        if partition_count(name) is None
    }


def _missing_internal_topics(topics: Collection[str]) -> TopicConfigurationError:
    return TopicConfigurationError(
        StatusCode.MISSING_INTERNAL_TOPICS, f"Internal topics are missing: {_summary(topics)}"
    )


def _summary(topics: Collection[str]) -> str:
    """The first topics, and the number of the others."""
    shown = ", ".join(list(topics)[:_TOPICS_SHOWN_MAX])
    left = len(topics) - _TOPICS_SHOWN_MAX
    return f"{shown} and {left} additional topics" if left > 0 else shown
