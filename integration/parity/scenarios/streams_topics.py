"""Streams groups: topics that appear, grow and disappear, and internal topics that are created."""

from __future__ import annotations

from functools import partial
from typing import Any

from integration.machine.deadlines import eventually
from integration.parity.admin_requests import (
    create_partitions,
    create_topics,
    delete_topics,
    describe_configs,
    new_topic,
)
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import STREAMS_HEARTBEAT_MIN_MS
from integration.parity.streams_group import StreamsGroup, StreamsMember
from integration.parity.streams_requests import endpoint, internal, owned, subtopology, topology

OWN = 1  # the source of a value that the topic itself has


@scenario()
def streams_source_topic_appears(kafka: Kafka) -> Observations:
    """A member gets its tasks when the missing topic exists."""
    topic = kafka.new_name("topic")
    group = StreamsGroup(kafka, topology(subtopology("0", topic)))
    a = group.member("a")
    yield a.join(), group.records()
    yield group.describe()
    yield a.beat(), group.records()
    _create(kafka, topic, 2)
    yield a.beat(), group.records()
    yield group.describe()


@scenario()
def streams_source_topic_grows(kafka: Kafka) -> Observations:
    """A further partition is a further task."""
    topic = kafka.topic(2)
    group = StreamsGroup(kafka, topology(subtopology("0", topic)))
    a, b = group.member("a"), group.member("b")
    a.join(), b.join(), a.beat(), a.report(), b.beat()
    group.records()
    kafka.request(create_partitions(topic, 5))
    kafka.settle()
    yield a.beat(), group.records()
    yield b.beat(), group.records()
    yield a.report(), group.state()


@scenario()
def streams_source_topic_is_deleted(kafka: Kafka) -> Observations:
    """Without its source topic a group has no tasks; a new topic of that name has others."""
    topic = kafka.topic(2)
    group = StreamsGroup(kafka, topology(subtopology("0", topic)))
    a = group.member("a")
    a.join()
    group.records()
    _delete(kafka, topic)
    yield "deleted", a.beat(), group.records()
    yield a.beat()
    yield "tasks are not checked", a.beat(**owned({"9": [0]}))
    yield group.describe()
    yield "revoked", a.report(), group.records()
    _create(kafka, topic, 1)
    yield "created", a.beat(), group.records()
    yield group.state()


@scenario()
def streams_internal_topics_are_created(kafka: Kafka) -> Observations:
    """Internal topics are created with the configurations of the topology, and then assigned."""
    topic, changelog, other = kafka.topic(2), kafka.new_name("changelog"), kafka.new_name("other")
    changes = internal(changelog, cleanup_policy="compact", segment_bytes="1048577")
    sent = topology(
        subtopology("0", topic, changelogs=[changes], sinks=[other]),
        subtopology("1", repartition=[internal(other, 0, 1, retention_ms="-1")]),
    )
    group = StreamsGroup(kafka, sent)
    a = group.member("a")
    joined = a.join(user_endpoint=endpoint("h"))
    for status in joined.status:
        names = status.status_detail.removeprefix("Internal topics are missing: ")
        status.status_detail = f"{sorted(names.split(', '))}"  # in the order of a hash table
    yield joined
    yield group.records()
    yield group.describe()
    for name in (changelog, other):
        eventually(partial(_exists, kafka, name), f"{name} exists")
    kafka.settle()
    yield a.beat(), group.records()
    yield group.describe()
    for name in (changelog, other):
        metadata = kafka.metadata(name)
        yield len(metadata.partitions), metadata.is_internal
        (found,) = kafka.request(describe_configs(name)).results
        own = [(each.name, each.value) for each in found.configs if each.config_source == OWN]
        yield sorted(own)


@scenario()
def streams_topics_are_created_during_the_delay(kafka: Kafka) -> Observations:
    """Internal topics are created before the first assignment is computed."""
    topic, changelog = kafka.topic(), kafka.new_name("changelog")
    sent = topology(subtopology("0", topic, changelogs=[changelog]))
    group = StreamsGroup(kafka, sent, initial_rebalance_delay_ms=30_000)
    a = group.member("a")
    yield a.join(), group.records()
    eventually(partial(_exists, kafka, changelog), f"{changelog} exists")
    kafka.settle()
    yield a.beat(), group.records()
    yield group.describe()


@scenario()
def streams_creation_fails_and_is_retried(kafka: Kafka) -> Observations:
    """The status has the error for two heartbeat intervals; then the creation is tried again."""
    topic, changelog = kafka.topic(), kafka.new_name("changelog")
    sent = topology(subtopology("0", topic, changelogs=[internal(changelog, 0, 7)]))
    group = StreamsGroup(kafka, sent, heartbeat_interval_ms=STREAMS_HEARTBEAT_MIN_MS)
    a = group.member("a")
    yield a.join(), group.records()
    failed = eventually(partial(_if_failed, a), "an error of the creation")
    yield failed
    yield "forgotten", eventually(partial(_unless_failed, a), "no error")
    yield "again", eventually(partial(_if_failed, a), "the error again")
    yield group.records()
    _create(kafka, changelog, 1)
    yield "created", a.beat(), group.records()


@scenario()
def streams_creation_has_invalid_settings(kafka: Kafka) -> Observations:
    """The status has the messages of up to three topics that could not be created."""
    topic = kafka.topic()
    for changelogs in (
        [internal("streams-policy", cleanup_policy="nonsense")],
        [internal("streams-7-replicas", 0, 7), internal("streams-p", cleanup_policy="nonsense")],
        [internal(f"streams-7-replicas-{number}", 0, 7) for number in range(4)],
    ):
        group = StreamsGroup(kafka, topology(subtopology("0", topic, changelogs=changelogs)))
        a = group.member("a")
        a.join()
        failed = eventually(partial(_if_failed, a), "an error of the creation")
        if len(changelogs) < 4:  # more are in the order of a hash table of Scala
            yield failed
        else:
            yield failed.status[0].status_detail.partition("Creation failed")[0]


@scenario()
def streams_changelog_is_deleted(kafka: Kafka) -> Observations:
    """All tasks are revoked while a changelog is missing; it is created again."""
    topic, changelog = kafka.topic(2), kafka.new_name("changelog")
    sent = topology(subtopology("0", topic, changelogs=[changelog]), subtopology("1", topic))
    group = StreamsGroup(kafka, sent)
    a = group.member("a")
    a.join()
    eventually(partial(_exists, kafka, changelog), f"{changelog} exists")
    kafka.settle()
    yield a.beat(), group.records()
    _delete(kafka, changelog)
    yield "deleted", a.beat(**owned(a.active)), group.records()
    eventually(partial(_exists, kafka, changelog), f"{changelog} exists again")
    kafka.settle()
    yield "created", a.beat(), group.records()
    yield "revoked", a.report(), group.records()
    yield a.beat(), group.records()
    yield group.state()


@scenario()
def streams_endpoints_need_configured_topics(kafka: Kafka) -> Observations:
    """A member with an endpoint fails while source topics are missing."""
    topic = kafka.new_name("topic")
    group = StreamsGroup(kafka, topology(subtopology("0", topic)))
    a = group.member("a")
    yield a.join(user_endpoint=endpoint("h"))
    yield group.describe(), group.records()
    _create(kafka, topic, 2)
    yield a.join(user_endpoint=endpoint("h"))
    yield a.beat(endpoint_information_epoch=0), group.records()
    _delete(kafka, topic)
    yield a.beat(), group.state(), group.records()
    _create(kafka, topic, 2)
    yield a.beat(), group.records()


def _create(kafka: Kafka, topic: str, partitions: int) -> None:
    (result,) = kafka.request(create_topics(new_topic(topic, partitions))).topics
    assert result.error_code == 0, result
    kafka.settle()


def _delete(kafka: Kafka, topic: str) -> None:
    (result,) = kafka.request(delete_topics(topic)).responses
    assert result.error_code == 0, result
    kafka.settle()


def _exists(kafka: Kafka, topic: str) -> bool:
    return bool(kafka.metadata(topic).error_code == 0)


def _if_failed(member: StreamsMember) -> Any:
    """The response to a heartbeat if it has an error of a creation."""
    response = member.beat()
    return response if "Creation failed" in f"{response.status}" else None


def _unless_failed(member: StreamsMember) -> Any:
    response = member.beat()
    return None if "Creation failed" in f"{response.status}" else response
