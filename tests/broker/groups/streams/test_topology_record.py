"""Topologies as records."""

from __future__ import annotations

from broker.groups.streams.topology import (
    CopartitionGroup,
    InternalTopic,
    StreamsTopology,
    Subtopology,
)
from broker.groups.streams.topology_record import topology_of_record, topology_value

CHANGELOG = InternalTopic(name="c", replication_factor=2, configs=(("k", "v"), ("j", "w")))
FULL = Subtopology(
    subtopology_id="1",
    source_topics=("b", "a"),
    source_topic_regex=("x.*",),
    state_changelog_topics=(CHANGELOG,),
    repartition_sink_topics=("s", "r"),
    repartition_source_topics=(InternalTopic(name="r", partitions=3),),
    copartition_groups=(
        CopartitionGroup(
            source_topics=(0, 1), source_topic_regex=(0,), repartition_source_topics=(0,)
        ),
    ),
)
TOPOLOGY = StreamsTopology(epoch=7, subtopologies=(FULL, Subtopology(subtopology_id="0")))


def test_a_topology_is_read_as_it_was_written() -> None:
    """All of its parts."""
    assert topology_of_record(topology_value(TOPOLOGY)) == TOPOLOGY


def test_a_topology_is_written_in_the_order_of_the_request() -> None:
    """Neither subtopologies nor topics nor configurations are sorted."""
    value = topology_value(TOPOLOGY)
    first, second = value.subtopologies

    assert (value.epoch, first.subtopology_id, second.subtopology_id) == (7, "1", "0")
    assert (first.source_topics, first.repartition_sink_topics) == (["b", "a"], ["s", "r"])
    (changelog,) = first.state_changelog_topics
    assert (changelog.name, changelog.partitions, changelog.replication_factor) == ("c", 0, 2)
    assert [(each.key, each.value) for each in changelog.topic_configs] == [("k", "v"), ("j", "w")]
