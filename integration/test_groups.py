"""Groups of real clients, of both protocols, with restarts and moves of coordinators.

librdkafka and the Java client use the consumer protocol (KIP-848) if configured.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # imported from here by its users
    AdminClient,
    NewTopic,
)

from antechamber import Cluster
from integration.kafka.jars import kafka_jars
from integration.kafka.real_kafka import RealKafka
from integration.machine.deadlines import eventually
from integration.processes.antechamber import Serve

# A short heartbeat interval, so that consumers learn of changes soon.
BRISK = {
    "group.consumer.min.heartbeat.interval.ms": "100",
    "group.consumer.heartbeat.interval.ms": "100",
    "group.initial.rebalance.delay.ms": "0",
}
PARTITIONS = 4
ALL = set(range(PARTITIONS))


class Members:
    """Consumers of one group; they are closed at the end."""

    def __init__(self, bootstrap: str, group: str) -> None:
        self._settings = {
            "bootstrap.servers": bootstrap,
            "group.id": group,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            "topic.metadata.refresh.interval.ms": 500,
        }
        self._made: list[Any] = []

    def new(self, protocol: str, *topics: str, **settings: Any) -> Any:
        """Return a consumer that subscribes to *topics*; settings have underscores for dots."""
        classic = {"heartbeat.interval.ms": 200, "session.timeout.ms": 6000}
        consumer = Consumer(
            self._settings
            | {"group.protocol": protocol}
            | (classic if protocol == "classic" else {})
            | {key.replace("_", "."): value for key, value in settings.items()}
        )
        consumer.subscribe(list(topics))
        self._made.append(consumer)
        return consumer

    def close(self) -> None:
        """Close all consumers; closing twice is harmless."""
        for consumer in self._made:
            consumer.close()


@pytest.fixture(scope="module")
def bootstrap(against: str) -> Iterator[str]:
    """A broker with the test's settings."""
    with RealKafka(properties=BRISK) if against == "kafka" else Cluster(config=BRISK) as running:
        yield running.bootstrap


@pytest.fixture
def members(bootstrap: str, group: str) -> Iterator[Members]:
    """Consumers of the group of this test."""
    made = Members(bootstrap, group)
    yield made
    made.close()


@pytest.fixture
def numbered(bootstrap: str, topic: str) -> str:
    """A topic of four partitions with one record in each."""
    return filled(bootstrap, topic)


def filled(bootstrap: str, topic: str, **settings: Any) -> str:
    """Create a topic with one record in each partition."""
    admin = AdminClient({"bootstrap.servers": bootstrap})
    new = NewTopic(topic, num_partitions=PARTITIONS, **settings)
    admin.create_topics([new])[topic].result(60)
    write(bootstrap, topic)
    return topic


def write(bootstrap: str, topic: str) -> None:
    """Produce one record to each partition."""
    producer = Producer({"bootstrap.servers": bootstrap})
    for partition in ALL:
        producer.produce(topic, b"%d" % partition, partition=partition)
    assert producer.flush(60) == 0


def has(consumer: Any) -> set[int]:
    """The partitions of a consumer, which is polled to stay in the group."""
    consumer.poll(0.05)
    return {each.partition for each in consumer.assignment()}


def share(*consumers: Any, within: float = 60.0) -> None:
    """Wait until all partitions are assigned in equal shares."""
    most = -(-PARTITIONS // len(consumers))

    def shared() -> bool:
        parts = [has(each) for each in consumers]
        union = set().union(*parts)
        return union == ALL and sum(map(len, parts)) == len(ALL) and max(map(len, parts)) <= most

    eventually(shared, f"shared by {len(consumers)}", within=within)


def read(consumer: Any, count: int, *, within: float = 60.0) -> list[Any]:
    """Return so many records."""
    taken: list[Any] = []

    def enough() -> bool:
        for message in consumer.consume(count - len(taken), timeout=0.1):
            assert message.error() is None, message.error()
            taken.append(message)
        return len(taken) >= count

    eventually(enough, f"{count} records", within=within)
    return taken


def test_two_consumers_of_the_consumer_protocol_rebalance(members: Members, numbered: str) -> None:
    """The second gets partitions of the first; when it leaves, the first has all again."""
    first = members.new("consumer", numbered)
    share(first)
    second = members.new("consumer", numbered)
    share(first, second)
    second.close()
    share(first)


def test_a_consumer_of_the_consumer_protocol_continues_at_its_commit(
    members: Members, numbered: str
) -> None:
    """The commit has the member's epoch; the next consumer reads no record twice."""
    first = members.new("consumer", numbered)
    read(first, PARTITIONS)
    first.commit(asynchronous=False)
    first.close()
    second = members.new("consumer", numbered)
    share(second)
    places = [TopicPartition(numbered, each) for each in ALL]
    assert [place.offset for place in second.committed(places, timeout=60)] == [1] * PARTITIONS


def test_the_broker_matches_a_regular_expression(
    bootstrap: str, members: Members, topic: str
) -> None:
    """Only matching topics are assigned (RE2, matched by the coordinator)."""
    filled(bootstrap, f"{topic}.yes")
    filled(bootstrap, f"{topic}.no")
    consumer = members.new("consumer", f"^{topic}\\.y.*")
    share(consumer)
    assert {each.topic for each in consumer.assignment()} == {f"{topic}.yes"}


def test_a_static_consumer_returns_to_its_partitions(members: Members, numbered: str) -> None:
    """During its absence no other member gets its partitions."""
    stays = members.new("consumer", numbered)
    goes = members.new("consumer", numbered, group_instance_id="i1")
    share(stays, goes)
    before = has(goes)
    goes.close()
    others = has(stays)
    again = members.new("consumer", numbered, group_instance_id="i1")
    share(stays, again)
    assert (has(stays), has(again)) == (others, before)


def test_a_group_changes_its_protocol(members: Members, numbered: str) -> None:
    """Members are replaced one by one, as in a rolling upgrade, and back again."""
    old = [members.new("classic", numbered) for _ in range(2)]
    share(*old)
    new = members.new("consumer", numbered)
    share(*old, new)
    old[0].close()
    share(old[1], new)
    new.close()
    share(old[1])


@pytest.mark.jvm
def test_java_and_librdkafka_are_members_of_one_group(
    bootstrap: str, members: Members, numbered: str, group: str
) -> None:
    """Kafka's VerifiableConsumer gets half of the partitions, and releases them at its end."""
    with _verifiable_consumer(bootstrap, numbered, group, "consumer") as java:
        other = members.new("consumer", numbered)
        eventually(lambda: len(has(other)) == PARTITIONS // 2, "half of them")
        theirs = ALL - has(other)
        assert java.stdout is not None
        assigned = next(event for event in map(json.loads, java.stdout) if _gives(event, theirs))
        java.terminate()
    assert assigned["name"] == "partitions_assigned"
    eventually(lambda: has(other) == ALL, "all back")


def _gives(event: dict[str, Any], partitions: set[int]) -> bool:
    """Whether the event has these partitions; consumed and committed events have them, too."""
    return {each["partition"] for each in event.get("partitions", ())} == partitions


def _verifiable_consumer(
    bootstrap: str, topic: str, group: str, protocol: str
) -> subprocess.Popen[str]:
    command = ["java", "-cp", f"{kafka_jars()}/*", "org.apache.kafka.tools.VerifiableConsumer"]
    arguments = ["--bootstrap-server", bootstrap, "--topic", topic, "--group-id", group]
    return subprocess.Popen(
        [*command, *arguments, "--group-protocol", protocol],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_a_restart_keeps_groups_and_offsets(
    serve: Serve, tmp_path: Any, topic: str, group: str, protocol: str
) -> None:
    """A consumer after the restart continues at the committed offset."""
    data = str(tmp_path / "data")
    brisk = [argument for key, value in BRISK.items() for argument in ("-c", f"{key}={value}")]
    first = serve("--data-dir", data, *brisk)
    before = Members(first.bootstrap, group)
    filled(first.bootstrap, topic)
    read_by = before.new(protocol, topic)
    read(read_by, PARTITIONS)
    read_by.commit(asynchronous=False)
    before.close()
    assert first.process.stop() == 0
    second = serve("--data-dir", data, *brisk)
    admin = AdminClient({"bootstrap.servers": second.bootstrap})

    def is_listed() -> bool:
        listed = admin.list_consumer_groups(request_timeout=60).result(60)
        return group in {each.group_id for each in listed.valid}

    eventually(is_listed, "the group is loaded")
    after = Members(second.bootstrap, group)
    write(second.bootstrap, topic)
    assert {message.offset() for message in read(after.new(protocol, topic), PARTITIONS)} == {1}
    after.close()


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_consumers_continue_when_their_coordinator_fails(
    cluster: Callable[..., Cluster], topic: str, group: str, protocol: str
) -> None:
    """It is killed and restarted: the group continues with another coordinator."""
    config = {"offsets.topic.num.partitions": 1, "min.insync.replicas": 2}
    kafka = cluster(3, config=BRISK | config)
    filled(kafka.bootstrap, topic, replication_factor=3)
    members = Members(kafka.bootstrap, group)
    consumers = [members.new(protocol, topic) for _ in range(2)]
    share(*consumers)
    for written in (2, 3):
        node = _coordinator(kafka, group)
        kafka.stop(node)
        eventually(partial(_has_other_coordinator, kafka, group, node), "a new coordinator")
        write(kafka.bootstrap, topic)
        eventually(partial(_all_read, consumers, written), "all is read")
        kafka.start(node)
        kafka.wait_in_sync(timeout=60)
    members.close()


def _has_other_coordinator(kafka: Cluster, group: str, node: int) -> bool:
    return _coordinator(kafka, group) != node


def _all_read(consumers: Iterable[Any], written: int) -> bool:
    """Whether all partitions are assigned, and read to their ends."""
    parts = {partition for consumer in consumers for partition in has(consumer)}
    places = [place for each in consumers for place in each.position(each.assignment())]
    return parts == ALL and {place.offset for place in places} == {written}


def _coordinator(kafka: Cluster, group: str) -> int:
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap})
    described = admin.describe_consumer_groups([group], request_timeout=60)
    return int(described[group].result(60).coordinator.id)
