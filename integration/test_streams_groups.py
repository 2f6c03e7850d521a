"""Kafka Streams with ``group.protocol=streams``; ``--against kafka`` runs it on a real Kafka."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import TopicCollection
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # imported from here by its users
    AdminClient,
    ConfigResource,
    NewPartitions,
    ResourceType,
)

from antechamber import Cluster
from integration.kafka.java_program import Command, commands
from integration.kafka.real_kafka import RealKafka
from integration.machine.deadlines import eventually
from integration.streams.applications import Application

pytestmark = pytest.mark.jvm

_STATELESS = frozenset({"0_0", "0_1"})
_STATEFUL = frozenset({"1_0", "1_1"})
_ALL = _STATELESS | _STATEFUL


@pytest.fixture
def bootstrap(streams_broker: Cluster | RealKafka) -> str:
    """The address of the broker."""
    return streams_broker.bootstrap


@pytest.fixture
def new(streams_run: Command, bootstrap: str, group: str, tmp_path: Path) -> Iterator[Application]:
    """An application without topics."""
    application = Application(streams_run, bootstrap, group, tmp_path)
    yield application
    application.close_all()


@pytest.fixture
def application(new: Application) -> Application:
    """An application with its topics, which have two partitions."""
    new.create_topics()
    return new


def test_the_broker_creates_the_internal_topics(application: Application, bootstrap: str) -> None:
    """With the partitions of the source topic and the configurations of the topology."""
    application.write("a b a c b a")
    application.start("one")
    assert application.counts() == {"a": [1, 2, 3], "b": [1, 2], "c": [1]}

    admin = AdminClient({"bootstrap.servers": bootstrap})
    names = [f"{application.name}-counts-{kind}" for kind in ("changelog", "repartition")]
    described = admin.describe_topics(TopicCollection(names)).values()
    assert [len(each.result().partitions) for each in described] == [2, 2]
    resources = [ConfigResource(ResourceType.TOPIC, name) for name in names]
    changelog, repartition = (each.result() for each in admin.describe_configs(resources).values())
    assert changelog["cleanup.policy"].value == "compact"
    assert repartition["cleanup.policy"].value == "delete"
    assert repartition["retention.ms"].value == "-1"
    assert repartition["segment.bytes"].value == "52428800"


def test_instances_share_the_tasks(application: Application) -> None:
    """Each has half; the remaining one gets all tasks, with the state of the other."""
    application.start("one")
    assert application.wait_for_tasks("one", 4) == _ALL
    application.start("two")
    of_one, of_two = (application.wait_for_tasks(each, 2) for each in ("one", "two"))
    assert of_one | of_two == _ALL
    application.write("a b c d e f g h")
    application.counts()

    application.close("one")

    assert application.wait_for_tasks("two", 4) == _ALL
    application.write("a b c d e f g h")
    assert application.counts() == {word: [1, 2] for word in "abcdefgh"}


def test_standby_tasks(application: Application) -> None:
    """The group's configuration gives each stateful task a standby, which becomes active."""
    application.configure(num_standby_replicas=1)
    for port, instance in enumerate(("one", "two"), start=1):
        application.start(instance, settings={"application.server": f"host:{port}"})
    for mine, other in (("one", "two"), ("two", "one")):
        eventually(
            lambda mine=mine, other=other: (  # type: ignore[misc]  # its parameters are bound
                len(application.tasks(mine).active) == 2
                and application.tasks(mine).standby == application.tasks(other).active & _STATEFUL
            ),
            f"standby tasks of {mine}",
        )
    application.write("a b c d")
    application.counts()
    hosts = {
        "HostInfo{host='host', port=1} [HostInfo{host='host', port=2}]",
        "HostInfo{host='host', port=2} [HostInfo{host='host', port=1}]",
    }
    for instance in ("one", "two"):
        assert {application(f"hosts {instance} {word}") for word in "abcd"} == hosts

    application.close("two")

    assert application.wait_for_tasks("one", 4) == _ALL
    assert application.tasks("one").standby == frozenset()
    application.write("a b c d")
    assert application.counts() == {word: [1, 2] for word in "abcd"}


def test_a_missing_source_topic(new: Application) -> None:
    """An instance waits for it for two heartbeat intervals, and fails."""
    new.start("one")

    failure = new.wait_for_failure("one")
    assert re.sub(r"after \d+ms", "after 400ms", failure) == (
        "MissingSourceTopicException: Missing source topics: "
        f"Source topics {new.reads} are missing.. Timeout exceeded after 400ms."
    )
    new.wait_for_state("one", "ERROR")


def test_a_source_topic_that_is_created_late(new: Application) -> None:
    """The instance gets its tasks with a later heartbeat."""
    new.configure(heartbeat_interval_ms=2000)
    new.start("one")
    new.wait_for_state("one", "REBALANCING")

    new.create_topics()

    assert new.wait_for_tasks("one", 4) == _ALL


def test_a_restart_continues_with_the_committed_offsets(application: Application) -> None:
    """The state is restored from the changelog topic."""
    application.write("a b a")
    application.start("one")
    assert application.counts() == {"a": [1, 2], "b": [1]}
    application.close("one")
    application.write("a b")

    application.start("two")

    assert application.counts() == {"a": [1, 2, 3], "b": [1, 2]}


def test_exactly_once(
    application: Application, streams_program: list[str], bootstrap: str, tmp_path: Path
) -> None:
    """An instance takes over from one that is killed: no count is lost or repeated."""
    application.configure(session_timeout_ms=2000)
    settings: dict[str, str | int] = {
        "processing.guarantee": "exactly_once_v2",
        "producer.transaction.timeout.ms": 2000,
    }
    words = "a b c d e"
    with commands(streams_program) as other:
        killed = Application(other, bootstrap, application.name, tmp_path)
        application.start("one", settings=settings)
        killed.start("two", settings=settings)
        assert application.wait_for_tasks("one", 2) | killed.wait_for_tasks("two", 2) == _ALL
        for _ in range(20):
            application.write(words)
    application.write(words)

    assert application.counts() == {word: list(range(1, 22)) for word in words.split()}
    assert application.tasks("one").active == _ALL


def test_all_instances_end_if_one_requests_it(application: Application) -> None:
    """An exception handler may shut the application down."""
    settings = {"on.failure": "SHUTDOWN_APPLICATION"}
    application.start("one", "copy", settings=settings)
    application.start("two", "copy", settings=settings)
    application.wait_for_tasks("one", 1)
    application.wait_for_tasks("two", 1)

    application.write("poison")

    for instance in ("one", "two"):
        application.wait_for_state(instance, "ERROR")


def test_new_partitions_are_new_tasks(application: Application, bootstrap: str) -> None:
    """A topology without internal topics has a task for each partition of its source topic."""
    application.start("one", "copy")
    assert application.wait_for_tasks("one", 2) == {"0_0", "0_1"}

    admin = AdminClient({"bootstrap.servers": bootstrap})
    [grown] = admin.create_partitions([NewPartitions(application.reads, 3)]).values()
    grown.result(60)

    assert application.wait_for_tasks("one", 3) == {"0_0", "0_1", "0_2"}


def test_joined_topics_must_have_the_same_partitions(application: Application) -> None:
    """An instance fails with the message of the coordinator."""
    application.create_topic(f"{application.reads}-more", 3)

    application.start("one", "join", reads=f"{application.reads},{application.reads}-more")

    assert application.wait_for_failure("one") == (
        "TopologyException: Invalid topology: Following topics do not have the same number of "
        f"partitions: [{{{application.reads}=2, {application.reads}-more=3}}]"
    )


def test_another_topology_is_refused(application: Application) -> None:
    """A group has one topology; a member with another one fails."""
    application.start("one", "copy")
    application.wait_for_tasks("one", 2)

    application.start("two")

    assert application.wait_for_failure("two") == (
        "StreamsException: org.apache.kafka.common.errors.InvalidRequestException: "
        "Topology updates are not supported yet."
    )
    assert application.tasks("one").active == {"0_0", "0_1"}


def test_the_protocol_changes_while_the_group_is_empty(application: Application) -> None:
    """A classic group with members refuses a streams member; an empty one is converted."""
    application.write("a b a")
    application.start("one", settings={"group.protocol": "classic"})
    assert application.counts() == {"a": [1, 2], "b": [1]}
    application.start("two")
    assert application.wait_for_failure("two") == (
        "StreamsException: org.apache.kafka.common.errors.GroupIdNotFoundException: "
        f"Group {application.name} is not a streams group."
    )
    application.close("one", "LEAVE_GROUP")
    application.write("a b")

    application.start("three")

    assert application.counts() == {"a": [1, 2, 3], "b": [1, 2]}
    application.close("three")
    application.write("a b")
    application.start("four", settings={"group.protocol": "classic"})
    assert application.counts() == {"a": [1, 2, 3, 4], "b": [1, 2, 3]}
