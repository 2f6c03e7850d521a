"""The topology of a streams group, as its members send it (Kafka's ``StreamsTopology``)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from broker.common.java_hash import in_hash_order, string_hash
from protocol.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class InternalTopic:
    """A repartition or changelog topic.

    ``partitions`` is 0 if the coordinator determines them, ``replication_factor`` is 0 for the
    default of the broker.
    """

    name: str
    partitions: int = 0
    replication_factor: int = 0
    configs: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CopartitionGroup:
    """Topics that need the same number of partitions, as indexes into those of the subtopology."""

    source_topics: tuple[int, ...] = ()
    source_topic_regex: tuple[int, ...] = ()
    repartition_source_topics: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Subtopology:
    """A part of the topology whose tasks are assigned as one."""

    subtopology_id: str
    source_topics: tuple[str, ...] = ()
    source_topic_regex: tuple[str, ...] = ()
    state_changelog_topics: tuple[InternalTopic, ...] = ()
    repartition_sink_topics: tuple[str, ...] = ()
    repartition_source_topics: tuple[InternalTopic, ...] = ()
    copartition_groups: tuple[CopartitionGroup, ...] = ()

    @property
    def all_source_topics(self) -> tuple[str, ...]:
        """The source topics, then the repartition source topics."""
        return self.source_topics + tuple(each.name for each in self.repartition_source_topics)


@dataclass(frozen=True, kw_only=True)
class StreamsTopology:
    """The subtopologies, in the order of the request or record, each id once."""

    epoch: int
    subtopologies: tuple[Subtopology, ...]

    @cached_property
    def by_id(self) -> Mapping[str, Subtopology]:
        """The subtopologies by id, in the iteration order of Kafka's ``HashMap``.

        That order decides how partitions of repartition topics are determined, and which of
        several errors is reported.
        """
        by_id = {each.subtopology_id: each for each in self.subtopologies}
        return {each: by_id[each] for each in in_hash_order(list(by_id), string_hash)}

    @cached_property
    def by_source_topic(self) -> Mapping[str, Subtopology]:
        """The subtopology that reads a source topic or a repartition source topic."""
        return {
            topic: subtopology
            for subtopology in self.by_id.values()
            for topic in subtopology.all_source_topics
        }

    @cached_property
    def required_topics(self) -> tuple[str, ...]:
        """The source, repartition source and changelog topics, in the order of Kafka's set."""
        names: dict[str, None] = {}
        for subtopology in self.by_id.values():
            names |= dict.fromkeys(subtopology.all_source_topics)
            names |= dict.fromkeys(each.name for each in subtopology.state_changelog_topics)
        return tuple(in_hash_order(list(names), string_hash))
