"""Streams groups: topologies that are wrong, and numbers of partitions that do not match."""

from __future__ import annotations

from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.streams_group import StreamsGroup
from integration.parity.streams_requests import (
    copartitioned,
    internal,
    subtopology,
    topology,
)
from protocol.messages.streams_group_heartbeat import Topology


@scenario()
def streams_topologies_without_sources(kafka: Kafka) -> Observations:
    """A subtopology needs a source; a topology needs no subtopology."""
    topic = kafka.topic()
    yield from _joins(
        kafka,
        topology(),
        topology(subtopology("0")),
        topology(subtopology("0", topic), subtopology("1", sinks=[topic])),
        topology(subtopology("0", topic, topic)),
        topology(subtopology("0", topic, sinks=["nobody-reads-this"])),
    )


@scenario()
def streams_repartition_topics_without_counts(kafka: Kafka) -> Observations:
    """Loops, and repartition topics that no subtopology writes, have no count of partitions."""
    topic, first, second = kafka.topic(), kafka.new_name("first"), kafka.new_name("second")
    yield from _joins(
        kafka,
        topology(subtopology("0", topic, repartition=[first])),
        topology(subtopology("0", topic, repartition=[internal(first, 2)])),
        topology(subtopology("0", sinks=[first], repartition=[first])),
        topology(
            subtopology("0", sinks=[first], repartition=[second]),
            subtopology("1", sinks=[second], repartition=[first]),
        ),
        topology(subtopology("0", topic, sinks=[first], repartition=[internal(first, -1)])),
        topology(subtopology("0", topic, repartition=[first]), subtopology("1")),
        topology(subtopology("0", kafka.new_name("absent"), repartition=[first])),
    )


@scenario()
def streams_missing_source_topics(kafka: Kafka) -> Observations:
    """Missing source topics are named in order, the first three of them."""
    topic = kafka.topic()
    names = [f"{kafka.new_name('absent')}" for _ in range(6)]
    yield from _joins(
        kafka,
        topology(subtopology("0", names[1], topic), subtopology("1", names[0])),
        topology(subtopology("0", *reversed(names[:3]))),
        topology(subtopology("0", *reversed(names[:4]))),
        topology(subtopology("0", *names[3:], *names)),
    )


@scenario()
def streams_copartition_groups_with_wrong_indices(kafka: Kafka) -> Observations:
    """An index without a topic is an error, before missing topics; those of regexes are ignored."""
    topic, absent = kafka.topic(), kafka.new_name("absent")
    yield from _joins(
        kafka,
        topology(subtopology("0", topic, copartition=[copartitioned([0, 1])])),
        topology(subtopology("0", topic, copartition=[copartitioned([-1])])),
        topology(subtopology("0", topic, copartition=[copartitioned([0], [0])])),
        topology(subtopology("0", absent, copartition=[copartitioned([1])])),
        topology(subtopology("0", topic, copartition=[copartitioned([0], regexes=[3])])),
        topology(subtopology("0", topic, copartition=[copartitioned()])),
    )


@scenario()
def streams_copartitioned_source_topics(kafka: Kafka) -> Observations:
    """Copartitioned source topics need the same number of partitions."""
    two, three, also_two = kafka.topic(2), kafka.topic(3), kafka.topic(2)
    all_of_them = [copartitioned([0, 1, 2])]
    yield from _joins(
        kafka,
        topology(subtopology("0", two, three, copartition=[copartitioned([0, 1])])),
        topology(subtopology("0", two, three, also_two, copartition=all_of_them)),
        topology(subtopology("0", two, three, also_two, copartition=[copartitioned([0, 2])])),
        topology(subtopology("0", two, three)),
    )


@scenario()
def streams_fixed_repartition_topics(kafka: Kafka) -> Observations:
    """A fixed number of partitions must be that of the copartitioned topics."""
    topic, first, second = kafka.topic(2), kafka.new_name("first"), kafka.new_name("second")
    five, six = internal(first, 5), internal(second, 6)
    yield from _joins(
        kafka,
        topology(subtopology("0", topic, sinks=[first], repartition=[five], copartition=[_BOTH])),
        topology(
            subtopology(
                "0",
                topic,
                sinks=[first, second],
                repartition=[five, six],
                copartition=[copartitioned([], [0, 1])],
            )
        ),
        topology(subtopology("0", topic, sinks=[first], repartition=[internal(first, 2)])),
    )


@scenario()
def streams_repartition_counts(kafka: Kafka) -> Observations:
    """Repartition topics and changelogs get their counts from the topics that lead to them."""
    two, three = kafka.topic(2), kafka.topic(3)
    names = [kafka.new_name("internal") for _ in range(6)]
    sent = topology(
        subtopology("0", two, sinks=[names[0]], changelogs=[names[1]]),
        subtopology("1", three, sinks=[names[2]], repartition=[names[0]]),
        subtopology(
            "2", three, repartition=[names[2], internal(names[3], 5)], changelogs=[names[4]]
        ),
        subtopology("3", two, sinks=[names[3], names[5]], repartition=[]),
        subtopology("4", three, repartition=[names[5]], copartition=[copartitioned([0], [0])]),
    )
    group = StreamsGroup(kafka, sent)
    a = group.member("a")
    joined = a.join()
    yield joined.error_code, [each.status_code for each in joined.status]
    kafka.settle()
    yield a.beat()
    for name in names:
        yield name, len(kafka.metadata(name).partitions)
    yield group.describe()
    yield group.records()


@scenario()
def streams_existing_topics_with_wrong_counts(kafka: Kafka) -> Observations:
    """An internal topic that exists must have the computed number of partitions."""
    topic, changelog = kafka.topic(2), kafka.topic(5)
    group = StreamsGroup(kafka, topology(subtopology("0", topic, changelogs=[changelog])))
    a = group.member("a")
    yield a.join()
    yield group.records()
    yield group.describe()
    yield a.beat()
    sent = topology(subtopology("0", topic, sinks=[changelog], repartition=[changelog]))
    yield "repartition", StreamsGroup(kafka, sent).member("a").join()


@scenario()
def streams_changelogs_that_are_shared(kafka: Kafka) -> Observations:
    """A changelog may be a source topic or belong to two subtopologies, but no config is twice."""
    topic, three, name = kafka.topic(2), kafka.topic(3), kafka.new_name("changelog")
    twice = internal(name, retention_ms="1")
    twice.topic_configs *= 2
    yield from _joins(
        kafka,
        topology(subtopology("0", topic, changelogs=[topic])),
        topology(subtopology("0", topic, changelogs=[twice])),
        topology(
            subtopology("0", topic, changelogs=[topic]), subtopology("1", three, changelogs=[topic])
        ),
        topology(subtopology("0", topic, changelogs=[topic, topic])),
    )


_BOTH = copartitioned([0], [0])


def _joins(kafka: Kafka, *sent: Topology) -> Observations:
    """The response to a join of a new group for each topology, and the group's records."""
    for each in sent:
        group = StreamsGroup(kafka, each)
        yield group.member("a").join()
        yield group.records()
        yield group.describe()
