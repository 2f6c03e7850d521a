"""Rules for links and partitions of three nodes, and what real clients notice of them."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from confluent_kafka import Consumer, KafkaError, Message, Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from antechamber import AdminError, Cluster

# Long enough for a loaded machine; no test waits for it.
PATIENCE_S = 60
BOTH = pytest.mark.parametrize("is_from_leader", [True, False])


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """Three nodes."""
    with Cluster(3) as cluster:
        yield cluster


@pytest.fixture
def kafka(cluster: Cluster) -> Iterator[Cluster]:
    """The nodes without rules, and a topic with a replica on each."""
    yield cluster
    cluster.faults.clear()
    cluster.wait_in_sync(timeout=PATIENCE_S)


def created(kafka: Cluster, name: str) -> tuple[int, int]:
    """Create a topic with three replicas; return its leader and a follower."""
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap})
    admin.create_topics([NewTopic(name, 1, 3)])[name].result(PATIENCE_S)
    kafka.wait_in_sync(name, timeout=PATIENCE_S)
    [topic] = [each for each in kafka.cluster()["topics"] if each["name"] == name]
    leader = int(topic["partitions"][0]["leader"])
    return leader, next(node.id for node in kafka.nodes if node.id != leader)


def producer(kafka: Cluster, acks: str | int = "all") -> Producer:
    """A producer of librdkafka that sends at once."""
    return Producer({"bootstrap.servers": kafka.bootstrap, "acks": acks, "linger.ms": 0})


def read(consumer: Consumer) -> bytes | None:
    """The value of the next record."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        message = consumer.poll(1)
        if message is not None and message.error() is None:
            return message.value()
    return None


@BOTH
def test_a_produce_waits_while_a_link_is_cut(
    kafka: Cluster, topic: str, is_from_leader: bool
) -> None:
    """And completes when the rule is removed."""
    leader, follower = created(kafka, topic)
    ends = (leader, follower) if is_from_leader else (follower, leader)
    errors = list[KafkaError | None]()
    client = producer(kafka)

    def on_delivery(error: KafkaError | None, _message: Message) -> None:
        errors.append(error)

    with kafka.faults.link("cut", *ends) as cut:
        cut.wait_fired(timeout=PATIENCE_S)
        client.produce(topic, b"one", on_delivery=on_delivery)
        client.poll(0)
        [parked] = kafka.wait_parked("Produce", topic=topic, timeout=PATIENCE_S)
        client.poll(0)
        before = list(errors)

    assert client.flush(PATIENCE_S) == 0
    assert parked["waited_for"]["faults"] == [{"rule": cut.id, "name": None, "action": "cut"}]
    assert (before, errors) == ([], [None])


def test_a_consumer_reads_no_record_above_a_held_high_watermark(kafka: Cluster, topic: str) -> None:
    """It reads the record when the hold ends."""
    created(kafka, topic)
    hold = kafka.faults.add("hold_high_watermark", at=1, topic=topic, partition=0)
    client = producer(kafka, acks=1)
    for value in (b"one", b"two"):
        client.produce(topic, value)
        assert client.flush(PATIENCE_S) == 0
    consumer = Consumer(
        {"bootstrap.servers": kafka.bootstrap, "group.id": topic, "auto.offset.reset": "earliest"}
    )
    consumer.subscribe([topic])
    first = read(consumer)
    hold.wait_fired(timeout=PATIENCE_S)
    held = consumer.poll(1)

    hold.remove()
    second = read(consumer)
    consumer.close()

    assert (first, held, second) == (b"one", None, b"two")


def test_a_node_that_is_cut_off_from_the_controller_is_fenced(kafka: Cluster, topic: str) -> None:
    """After its session, by the clock of the broker; the set of replicas in sync shrinks."""
    _, follower = created(kafka, topic)
    with kafka.clock.frozen(), kafka.faults.link("cut", follower, "controller"):
        kafka.clock.advance(10)
        kafka.wait_in_sync(topic, count=2, timeout=PATIENCE_S)
    kafka.wait_in_sync(topic, count=3, timeout=PATIENCE_S)


def test_an_invalid_link_is_refused(kafka: Cluster) -> None:
    """With one sentence."""
    with pytest.raises(AdminError, match=r"link\.to: there is no node 9, only 1, 2, 3"):
        kafka.faults.link("cut", 1, 9)
