"""Fault rules, and the known reactions of client libraries to them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaError, Producer
from kafka import KafkaConsumer, KafkaProducer
from kafka.errors import CorruptRecordError

from antechamber import Cluster

# Long enough for a loaded machine; no test waits for it.
PATIENCE_S = 60
# librdkafka's own code of a record set that it cannot read (RD_KAFKA_RESP_ERR__BAD_MSG).
BAD_MESSAGE = -199


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """One node that records its requests."""
    with Cluster(record=True) as cluster:
        yield cluster


@pytest.fixture
def kafka(cluster: Cluster) -> Iterator[Cluster]:
    """The node without rules."""
    yield cluster
    cluster.faults.clear()


def idempotent(kafka: Cluster, **settings: Any) -> Producer:
    """An idempotent producer of librdkafka that reconnects at once."""
    return Producer(
        {
            "bootstrap.servers": kafka.bootstrap,
            "enable.idempotence": True,
            "reconnect.backoff.ms": 10,
            "reconnect.backoff.max.ms": 50,
            "retry.backoff.ms": 10,
            **settings,
        }
    )


def delivered(producer: Producer, topic: str, value: bytes = b"one") -> int:
    """The offset at which a record was delivered."""
    offsets = list[int]()

    def on_delivery(error: KafkaError | None, message: Any) -> None:
        assert error is None, error
        offsets.append(message.offset())

    producer.produce(topic, value, on_delivery=on_delivery)
    assert producer.flush(PATIENCE_S) == 0
    [offset] = offsets
    return offset


def log_end(kafka: Cluster, topic: str) -> int:
    """The log end offset of the first partition."""
    [found] = [each for each in kafka.cluster()["topics"] if each["name"] == topic]
    return int(found["partitions"][0]["log_end_offset"])


@pytest.mark.parametrize("action", ["close", "error"])
def test_a_lost_response_is_retried_and_deduplicated(
    kafka: Cluster, topic: str, action: str
) -> None:
    """The idempotent producer sends the batch twice; the log has it once."""
    error = {"error": "NOT_LEADER_OR_FOLLOWER"} if action == "error" else {}
    producer = idempotent(kafka)
    [rule] = kafka.faults.add_rules(
        {
            "match": {"api": "Produce", "topic": topic},
            "times": 1,
            "action": {"type": action, "when": "after", **error},
        }
    )

    assert delivered(producer, topic) == 0

    assert rule.fired == 1
    assert log_end(kafka, topic) == 1
    faults = [record["fault"] for record in kafka.requests("Produce", topic)]
    assert faults.count({"rule": rule.id, "name": None, "action": action}) == 1
    assert len(faults) == 2


def test_a_moved_leader_makes_a_producer_refresh_its_metadata(kafka: Cluster, topic: str) -> None:
    """NOT_LEADER_OR_FOLLOWER; then the record is sent again."""
    producer = KafkaProducer(
        bootstrap_servers=kafka.bootstrap, client_id=topic, metadata_max_age_ms=3_600_000
    )
    assert producer.send(topic, b"one").get(PATIENCE_S).offset == 0
    kafka.faults.add("error", error="NOT_LEADER_OR_FOLLOWER", api="Produce", topic=topic, times=1)
    mark = kafka.mark()

    assert producer.send(topic, b"two").get(PATIENCE_S).offset == 1

    kafka.wait_requests("Metadata", since=mark, client=topic, timeout=PATIENCE_S)
    assert kafka.wait_requests("Produce", since=mark, client=topic) == 2
    producer.close()


def test_a_corrupt_batch_is_an_error_of_the_consumer(kafka: Cluster, topic: str) -> None:
    """kafka-python raises CorruptRecordError; the log is not corrupt."""
    delivered(idempotent(kafka), topic)
    rule = kafka.faults.add("corrupt", topic=topic, times=1)

    def consumer() -> KafkaConsumer:
        return KafkaConsumer(topic, bootstrap_servers=kafka.bootstrap, auto_offset_reset="earliest")

    first, second = consumer(), consumer()
    with pytest.raises(CorruptRecordError):
        next(first)
    assert rule.fired == 1
    assert next(second).value == b"one"
    first.close()
    second.close()


def test_a_corrupt_batch_is_fetched_again(kafka: Cluster, topic: str) -> None:
    """librdkafka reports it and continues."""
    delivered(idempotent(kafka), topic)
    kafka.faults.add("corrupt", topic=topic, times=1)
    consumer = Consumer(
        {
            "bootstrap.servers": kafka.bootstrap,
            "group.id": topic,
            "auto.offset.reset": "earliest",
            "check.crcs": True,
        }
    )
    consumer.subscribe([topic])
    codes, values = list[int](), list[bytes]()
    deadline = time.monotonic() + PATIENCE_S
    while not values and time.monotonic() < deadline:
        message = consumer.poll(1)
        if message is None:
            continue
        error = message.error()
        if error is not None:
            codes.append(error.code())
        else:
            values.append(message.value() or b"")
    consumer.close()

    assert (codes, values) == ([BAD_MESSAGE], [b"one"])


def test_refused_connections_are_tried_again(kafka: Cluster, topic: str) -> None:
    """Until the rule has fired as often as it may."""
    rule = kafka.faults.add("refuse_connections", times=3)

    assert delivered(idempotent(kafka), topic) == 0

    assert (rule.fired, rule.state) == (3, "spent")


def test_a_throttle_is_reported_to_the_client(kafka: Cluster, topic: str) -> None:
    """librdkafka calls its callback with the time."""
    events = list[Any]()
    producer = idempotent(kafka, throttle_cb=events.append)
    kafka.faults.add("throttle", ms=700, api="Produce", topic=topic, times=1)

    assert delivered(producer, topic) == 0

    producer.poll(0)
    assert [event.throttle_time for event in events] == [0.7]


@pytest.mark.parametrize(("action", "appended"), [("half_open", 1), ("hang", 1)])
def test_a_silent_connection_ends_by_the_timeout_of_the_client(
    kafka: Cluster, topic: str, action: str, appended: int
) -> None:
    """Then the producer connects again, and its record is appended once."""
    producer = idempotent(kafka, **{"socket.timeout.ms": 1000})
    rule = kafka.faults.add(action, api="Produce", topic=topic, times=1)

    assert delivered(producer, topic) == 0

    assert rule.fired == 1
    assert log_end(kafka, topic) == appended


def test_a_delayed_response_is_parked(kafka: Cluster, topic: str) -> None:
    """Until its rule is removed, here; its client waits."""
    producer = KafkaProducer(bootstrap_servers=kafka.bootstrap)
    with kafka.faults.add(
        "delay", ms=3_600_000, of="response", api="Produce", topic=topic, name="late"
    ) as rule:
        sent = producer.send(topic, b"one")
        rule.wait_fired(timeout=PATIENCE_S)
        [parked] = [each for each in kafka.parked("Produce") if each["purgatory"] == "Fault"]
        assert parked["waited_for"]["name"] == "late"
        assert not sent.is_done
    assert sent.get(PATIENCE_S).offset == 0
    producer.close()


def test_a_slow_response_arrives(kafka: Cluster, topic: str) -> None:
    """Byte by byte."""
    producer = KafkaProducer(bootstrap_servers=kafka.bootstrap)
    rule = kafka.faults.add("slow", bytes_per_second=200, api="Produce", topic=topic)

    assert producer.send(topic, b"one").get(PATIENCE_S).offset == 0

    assert rule.fired == 1
    producer.close()
