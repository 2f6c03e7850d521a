"""confluent-kafka (librdkafka) in typical use, with topic ids and read_committed by default."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # imported from here by its users
    AdminClient,
    ConfigResource,
    NewPartitions,
    NewTopic,
    OffsetSpec,
    ResourceType,
)

from antechamber import Cluster
from integration.clients.api_uses import ApiUses
from integration.machine.deadlines import eventually
from integration.wire.batches import batch
from integration.wire.connection import Connection
from integration.wire.requests import produce

MakeConsumer = Callable[..., Any]


@pytest.fixture
def produce_all(bootstrap: str) -> Callable[..., list[Any]]:
    """Produce values to partition 0 and return the messages; an error fails the test."""

    def run(topic: str, values: list[bytes], **settings: Any) -> list[Any]:
        dotted = {key.replace("_", "."): value for key, value in settings.items()}
        producer = Producer({"bootstrap.servers": bootstrap, **dotted})
        delivered: list[Any] = []

        def on_delivery(error: KafkaError | None, message: Any) -> None:
            assert error is None, error
            delivered.append(message)

        for value in values:
            producer.produce(topic, value, partition=0, on_delivery=on_delivery)
            producer.poll(0)
        assert producer.flush(60) == 0
        return delivered

    return run


@pytest.fixture
def consumer(bootstrap: str, group: str) -> Iterator[MakeConsumer]:
    """A function that makes consumers from the earliest offset; they are closed after the test."""
    made: list[Any] = []

    def build(**settings: Any) -> Any:
        dotted = {key.replace("_", "."): value for key, value in settings.items()}
        base = {"bootstrap.servers": bootstrap, "group.id": group, "auto.offset.reset": "earliest"}
        made.append(Consumer({**base, **dotted}))
        return made[-1]

    yield build
    for each in made:
        each.close()


@pytest.fixture
def admin(bootstrap: str) -> AdminClient:
    """An admin client."""
    return AdminClient({"bootstrap.servers": bootstrap})


def created(admin: AdminClient, topic: str, partitions: int, **settings: Any) -> str:
    """Create a topic, and wait for the response."""
    new = NewTopic(topic, num_partitions=partitions, replication_factor=1, **settings)
    admin.create_topics([new])[topic].result(60)
    return topic


def take(consumer: Any, count: int, *, within: float = 60.0) -> list[Any]:
    """Consume until that many messages have arrived; an error among them fails the test."""
    taken: list[Any] = []

    def enough() -> bool:
        for message in consumer.consume(count - len(taken), timeout=0.1):
            assert message.error() is None, message.error()
            taken.append(message)
        return len(taken) >= count

    eventually(enough, f"{count} messages", within=within)
    return taken


def at_start(consumer: Any, topic: str) -> Any:
    """Assign partition 0 from its beginning, without the group."""
    consumer.assign([TopicPartition(topic, 0, 0)])
    return consumer


def test_what_is_produced_is_consumed_in_order(
    bootstrap: str, consumer: MakeConsumer, topic: str
) -> None:
    """Keys, values, nulls and headers are returned as sent."""
    sent: list[tuple[Any, Any, Any]] = [
        (b"key", b"value", [("trace", b"1"), ("empty", b"")]),
        (None, b"no key", None),
        (b"tombstone", None, None),
    ]
    producer = Producer({"bootstrap.servers": bootstrap})
    for key, value, headers in sent:
        producer.produce(topic, value, key, headers=headers, partition=0)
    assert producer.flush(60) == 0
    messages = take(at_start(consumer(), topic), 3)
    assert [(m.key(), m.value(), m.headers()) for m in messages] == sent
    assert [m.offset() for m in messages] == [0, 1, 2]


@pytest.mark.parametrize("codec", ["gzip", "snappy", "lz4", "zstd"])
def test_a_compressed_batch_is_returned_unchanged(
    produce_all: Any, consumer: MakeConsumer, topic: str, codec: str
) -> None:
    """Each codec that librdkafka supports is stored and read."""
    values = [b"%d " % i * 50 for i in range(200)]
    produce_all(topic, values, compression_type=codec, linger_ms=20)
    assert [m.value() for m in take(at_start(consumer(), topic), 200)] == values


def test_ten_thousand_small_messages_from_an_idempotent_producer(
    produce_all: Any, consumer: MakeConsumer, topic: str
) -> None:
    """No record is lost, duplicated or reordered with five requests in flight."""
    values = [b"%d" % i for i in range(10_000)]
    delivered = produce_all(topic, values, enable_idempotence=True, linger_ms=1)
    assert [m.offset() for m in delivered] == list(range(10_000))
    assert [m.value() for m in take(at_start(consumer(), topic), 10_000, within=60)] == values


def test_messages_of_almost_one_mebibyte(
    produce_all: Any, consumer: MakeConsumer, topic: str
) -> None:
    """Large messages are stored and read, also several in one fetch."""
    values = [bytes([i]) * 1_000_000 for i in range(5)]
    produce_all(topic, values, message_max_bytes=1_048_000)
    assert [m.value() for m in take(at_start(consumer(), topic), 5)] == values


def test_a_message_above_the_topics_limit_is_rejected(
    admin: AdminClient, bootstrap: str, topic: str
) -> None:
    """max.message.bytes of the topic applies, whatever the client's limit is."""
    created(admin, topic, 1, config={"max.message.bytes": "1000"})
    producer = Producer({"bootstrap.servers": bootstrap})
    errors: list[Any] = []
    producer.produce(topic, b"x" * 2000, on_delivery=lambda error, _: errors.append(error))
    assert producer.flush(60) == 0
    assert errors[0].code() == KafkaError.MSG_SIZE_TOO_LARGE


def test_a_fetch_waits_its_max_wait_for_min_bytes(
    produce_all: Any, consumer: MakeConsumer, topic: str
) -> None:
    """A fetch with too little data ends at max_wait, and not before."""
    produce_all(topic, [b"little"])
    waiting = consumer(fetch_min_bytes=100_000, fetch_wait_max_ms=700)
    started = time.monotonic()
    assert take(at_start(waiting, topic), 1)[0].value() == b"little"
    assert time.monotonic() - started > 0.65


def test_a_produce_wakes_a_waiting_consumer(
    produce_all: Any, consumer: MakeConsumer, topic: str, bootstrap: str
) -> None:
    """A long poll ends with the record, as its max_wait is longer than the test waits."""
    produce_all(topic, [b"first"])
    waiting = at_start(consumer(fetch_wait_max_ms=120_000, socket_timeout_ms=180_000), topic)
    take(waiting, 1)
    assert waiting.consume(1, timeout=0.3) == []  # leaves a fetch parked at the broker
    with Connection(bootstrap) as other:
        other.request(produce(topic, 0, batch([b"second"])))
        assert take(waiting, 1)[0].value() == b"second"


def test_a_group_of_two_rebalances(admin: AdminClient, consumer: MakeConsumer, topic: str) -> None:
    """A second member gets one partition; when it leaves, the first gets it back."""
    created(admin, topic, 2)
    settings = {"heartbeat_interval_ms": 200, "session_timeout_ms": 6000}
    first, second = consumer(**settings), consumer(**settings)
    first.subscribe([topic])
    eventually(lambda: first.poll(0.05) or len(first.assignment()) == 2, "all to one")
    second.subscribe([topic])

    def shared() -> bool:
        first.poll(0.05)
        second.poll(0.05)
        return len(first.assignment()) == len(second.assignment()) == 1

    eventually(shared, "one partition each")
    assert {p.partition for p in first.assignment() + second.assignment()} == {0, 1}
    second.close()
    eventually(lambda: first.poll(0.05) or len(first.assignment()) == 2, "all back")


def test_a_cooperative_group_keeps_partitions(
    admin: AdminClient, consumer: MakeConsumer, topic: str
) -> None:
    """Incremental rebalancing (KIP-429) takes two generations and keeps one partition in place."""
    created(admin, topic, 2)
    settings = {
        "heartbeat_interval_ms": 200,
        "session_timeout_ms": 6000,
        "partition_assignment_strategy": "cooperative-sticky",
    }
    first, second = consumer(**settings), consumer(**settings)
    first.subscribe([topic])
    eventually(lambda: first.poll(0.05) or len(first.assignment()) == 2, "all to one")
    second.subscribe([topic])
    held: list[int] = []

    def shared() -> bool:
        first.poll(0.05)
        second.poll(0.05)
        held.append(len(first.assignment()))
        return held[-1] == len(second.assignment()) == 1

    eventually(shared, "one partition each")
    assert min(held) == 1


def test_committed_offsets_outlive_their_consumer(
    produce_all: Any, consumer: MakeConsumer, topic: str
) -> None:
    """A new consumer of the group continues at the committed offset."""
    produce_all(topic, [b"%d" % i for i in range(6)])
    first = consumer(enable_auto_commit=False)
    first.subscribe([topic])
    messages = take(first, 4)
    first.commit(messages[-1], asynchronous=False)
    first.close()
    second = consumer(enable_auto_commit=False)
    second.subscribe([topic])
    assert [m.value() for m in take(second, 2)] == [b"4", b"5"]
    assert second.committed([TopicPartition(topic, 0)], timeout=60)[0].offset == 4


def test_offsets_by_timestamp_and_at_both_ends(
    bootstrap: str, consumer: MakeConsumer, topic: str
) -> None:
    """The first record at or after a time is found; both ends are exact."""
    producer = Producer({"bootstrap.servers": bootstrap})
    for timestamp in (1_000, 2_000, 3_000):
        producer.produce(topic, b"x", partition=0, timestamp=timestamp)
        producer.flush(60)
    asking = consumer()
    (found,) = asking.offsets_for_times([TopicPartition(topic, 0, 1_500)], timeout=60)
    assert found.offset == 1
    assert asking.get_watermark_offsets(TopicPartition(topic, 0), timeout=60) == (0, 3)


def test_list_offsets_of_the_admin_client(admin: AdminClient, bootstrap: str, topic: str) -> None:
    """Earliest, latest and the offset of the largest timestamp."""
    producer = Producer({"bootstrap.servers": bootstrap})
    for timestamp in (1_000, 5_000, 3_000):
        producer.produce(topic, b"x", partition=0, timestamp=timestamp)
        producer.flush(60)
    partition = TopicPartition(topic, 0)

    def offset_of(spec: Any) -> int:
        offset: int = admin.list_offsets({partition: spec})[partition].result(60).offset
        return offset

    spec: Any = OffsetSpec  # its constructors are not typed
    offsets = [
        offset_of(spec.earliest()),
        offset_of(spec.latest()),
        offset_of(spec.max_timestamp()),
    ]
    assert offsets == [0, 3, 1]


def test_topics_are_created_once_and_deleted_once(admin: AdminClient, topic: str) -> None:
    """A second creation and a second deletion have Kafka's errors."""
    created(admin, topic, 3)
    assert len(admin.list_topics(topic, timeout=60).topics[topic].partitions) == 3
    with pytest.raises(KafkaException, match="TOPIC_ALREADY_EXISTS"):
        created(admin, topic, 3)
    admin.delete_topics([topic])[topic].result(60)
    with pytest.raises(KafkaException, match="UNKNOWN_TOPIC_OR_PART"):
        admin.delete_topics([topic])[topic].result(60)


def test_partitions_are_added(admin: AdminClient, topic: str) -> None:
    """A topic can get more partitions, but not fewer."""
    created(admin, topic, 2)
    admin.create_partitions([NewPartitions(topic, 3)])[topic].result(60)

    def three() -> bool:
        return len(admin.list_topics(topic, timeout=60).topics[topic].partitions) == 3

    eventually(three, "three partitions")
    with pytest.raises(KafkaException, match="INVALID_PARTITIONS"):
        admin.create_partitions([NewPartitions(topic, 1)])[topic].result(60)


def test_all_topics_are_listed(admin: AdminClient, topic: str) -> None:
    """librdkafka appends three bytes to a Metadata request for all topics."""
    created(admin, topic, 2)

    listed = admin.list_topics(timeout=60)

    assert len(listed.topics[topic].partitions) == 2
    assert listed.brokers


def test_configs_given_at_creation_are_described(admin: AdminClient, topic: str) -> None:
    """DescribeConfigs returns the configuration of the creation and Kafka's defaults."""
    created(admin, topic, 1, config={"max.message.bytes": "4321"})
    resource = ConfigResource(ResourceType.TOPIC, topic)
    configs = admin.describe_configs([resource])[resource].result(60)
    assert configs["max.message.bytes"].value == "4321"
    assert not configs["max.message.bytes"].is_default
    assert configs["segment.bytes"].value == "1073741824"
    assert configs["segment.bytes"].is_default


def test_the_cluster_is_described(admin: AdminClient, bootstrap: str) -> None:
    """One broker, at its advertised address, which is also the controller."""
    cluster = admin.describe_cluster().result(60)
    (node,) = cluster.nodes
    assert f"{node.host}:{node.port}" == bootstrap
    assert cluster.controller.id == node.id
    assert cluster.cluster_id


def test_a_consumer_continues_with_another_leader(
    cluster: Callable[..., Cluster], api_uses: ApiUses
) -> None:
    """Before it fetches from the new leader, it validates its offset (KIP-320)."""
    kafka = cluster(brokers=3, topics=["t:1:3"], records=api_uses.records())
    producer = Producer({"bootstrap.servers": kafka.bootstrap})
    consumer = Consumer({"bootstrap.servers": kafka.bootstrap, "group.id": "unused"})
    consumer.assign([TopicPartition("t", 0, 0)])

    def epoch_of_the_next() -> int | None:
        producer.produce("t", b"a record")
        producer.flush()
        message = consumer.poll(20)
        assert message is not None
        return message.leader_epoch()

    before = epoch_of_the_next()
    (topic,) = [each for each in kafka.cluster()["topics"] if each["name"] == "t"]
    kafka.stop(topic["partitions"][0]["leader"])
    after = epoch_of_the_next()
    consumer.close()

    assert (before, after) == (0, 1)
