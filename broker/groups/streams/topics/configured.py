"""A topology with the number of tasks of each subtopology (Kafka's ``ConfiguredTopology``)."""

from __future__ import annotations

from collections.abc import Mapping

from broker.groups.streams.topics.errors import TopicConfigurationError
from protocol.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfiguredInternalTopic:
    """An internal topic with its number of partitions.

    ``replication_factor`` is None for the default of the broker. ``configs`` have the order of
    Kafka's ``HashMap``.
    """

    name: str
    partitions: int
    replication_factor: int | None
    configs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfiguredSubtopology:
    """A subtopology with its number of tasks: the most partitions that one of its sources has."""

    number_of_tasks: int
    source_topics: tuple[str, ...]
    repartition_source_topics: Mapping[str, ConfiguredInternalTopic]
    repartition_sink_topics: tuple[str, ...]
    state_changelog_topics: Mapping[str, ConfiguredInternalTopic]

    @property
    def is_stateful(self) -> bool:
        """Whether its tasks have changelogs, and so can have standby tasks."""
        return bool(self.state_changelog_topics)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfiguredTopology:
    """The subtopologies by id, in Java's order of strings; None if topics do not fit them.

    ``internal_topics_to_create`` has the topics that do not exist, in the order in which Kafka
    creates them. ``error`` is reported to the members.
    """

    epoch: int
    metadata_hash: int
    subtopologies: Mapping[str, ConfiguredSubtopology] | None
    internal_topics_to_create: Mapping[str, ConfiguredInternalTopic]
    error: TopicConfigurationError | None

    @property
    def is_ready(self) -> bool:
        """Whether tasks can be assigned: all topics exist and have the right partitions."""
        return self.error is None
