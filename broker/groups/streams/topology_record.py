"""The topology of a group as its record."""

from __future__ import annotations

from broker.groups.records import streams as records
from broker.groups.streams.topology import (
    CopartitionGroup,
    InternalTopic,
    StreamsTopology,
    Subtopology,
)


def topology_value(topology: StreamsTopology) -> records.StreamsGroupTopologyValue:
    """The value of the record of a topology."""
    return records.StreamsGroupTopologyValue(
        epoch=topology.epoch, subtopologies=[_written(each) for each in topology.subtopologies]
    )


def topology_of_record(value: records.StreamsGroupTopologyValue) -> StreamsTopology:
    """The topology of a record."""
    subtopologies = tuple(map(_read, value.subtopologies))
    return StreamsTopology(epoch=value.epoch, subtopologies=subtopologies)


def _written(subtopology: Subtopology) -> records.Subtopology:
    return records.Subtopology(
        subtopology_id=subtopology.subtopology_id,
        source_topics=list(subtopology.source_topics),
        source_topic_regex=list(subtopology.source_topic_regex),
        state_changelog_topics=list(map(_written_topic, subtopology.state_changelog_topics)),
        repartition_sink_topics=list(subtopology.repartition_sink_topics),
        repartition_source_topics=list(map(_written_topic, subtopology.repartition_source_topics)),
        copartition_groups=[
            records.CopartitionGroup(
                source_topics=list(group.source_topics),
                source_topic_regex=list(group.source_topic_regex),
                repartition_source_topics=list(group.repartition_source_topics),
            )
            for group in subtopology.copartition_groups
        ],
    )


def _written_topic(topic: InternalTopic) -> records.TopicInfo:
    return records.TopicInfo(
        name=topic.name,
        partitions=topic.partitions,
        replication_factor=topic.replication_factor,
        topic_configs=[records.TopicConfig(key=key, value=value) for key, value in topic.configs],
    )


def _read(value: records.Subtopology) -> Subtopology:
    return Subtopology(
        subtopology_id=value.subtopology_id,
        source_topics=tuple(value.source_topics),
        source_topic_regex=tuple(value.source_topic_regex),
        state_changelog_topics=tuple(map(_read_topic, value.state_changelog_topics)),
        repartition_sink_topics=tuple(value.repartition_sink_topics),
        repartition_source_topics=tuple(map(_read_topic, value.repartition_source_topics)),
        copartition_groups=tuple(
            CopartitionGroup(
                source_topics=tuple(group.source_topics),
                source_topic_regex=tuple(group.source_topic_regex),
                repartition_source_topics=tuple(group.repartition_source_topics),
            )
            for group in value.copartition_groups
        ),
    )


def _read_topic(value: records.TopicInfo) -> InternalTopic:
    return InternalTopic(
        name=value.name,
        partitions=value.partitions,
        replication_factor=value.replication_factor,
        configs=tuple((config.key, config.value) for config in value.topic_configs),
    )
