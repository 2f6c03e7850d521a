"""The topology of a streams group."""

from __future__ import annotations

from broker.groups.streams.topology import InternalTopic, StreamsTopology, Subtopology

READER = Subtopology(
    subtopology_id="0",
    source_topics=("a",),
    state_changelog_topics=(InternalTopic(name="log"),),
    repartition_sink_topics=("repartition",),
)
JOINER = Subtopology(
    subtopology_id="1",
    source_topics=("a", "b"),
    repartition_source_topics=(InternalTopic(name="repartition"),),
)
TOPOLOGY = StreamsTopology(epoch=1, subtopologies=(JOINER, READER))


def test_required_topics_are_those_that_tasks_read_and_restore_from() -> None:
    """Sinks are required by the subtopology that reads them."""
    assert set(TOPOLOGY.required_topics) == {"a", "b", "log", "repartition"}
    assert len(TOPOLOGY.required_topics) == 4


def test_a_sink_that_is_not_read_is_not_required() -> None:
    """Only sources and changelogs are."""
    only = StreamsTopology(epoch=1, subtopologies=(READER,))

    assert set(only.required_topics) == {"a", "log"}


def test_subtopologies_are_found_by_id() -> None:
    """In the order of Kafka's hash table."""
    assert list(TOPOLOGY.by_id.items()) == [("0", READER), ("1", JOINER)]


def test_subtopologies_are_found_by_source_topic() -> None:
    """Of two that read the same topic, the last in the order of the hash table is found."""
    assert TOPOLOGY.by_source_topic == {"a": JOINER, "b": JOINER, "repartition": JOINER}
