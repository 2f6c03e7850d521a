"""kafka-python in typical use, with the newest ApiVersions and idempotence by default."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

with warnings.catch_warnings():
    # kafka-python 3.0 reads its schemas through importlib.resources.read_text
    warnings.simplefilter("ignore", DeprecationWarning)
    from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
    from kafka.admin import ConfigResource, ConfigResourceType, NewPartitions, NewTopic
    from kafka.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor
    from kafka.errors import TopicAlreadyExistsError, UnknownTopicOrPartitionError

from integration.machine.deadlines import eventually
from integration.wire.batches import batch
from integration.wire.connection import Connection
from integration.wire.requests import produce

Make = Callable[..., Any]

# A poll of kafka-python 3.0 that ends between the JoinGroup and the SyncGroup response abandons the
# rebalance, and the next one joins again. Two consumers in one thread can repeat this for a minute.
REBALANCE_MS = 500


@pytest.fixture
def make(bootstrap: str) -> Iterator[Make]:
    """A function that makes a client of a class; it is closed after the test."""
    with ExitStack() as clients:

        def build(client: Make, *arguments: Any, **settings: Any) -> Any:
            built = client(*arguments, bootstrap_servers=bootstrap, **settings)
            clients.callback(built.close)
            return built

        yield build


@pytest.fixture
def admin(make: Make) -> Any:
    """An admin client."""
    return make(KafkaAdminClient)


@pytest.fixture
def two_partitions(admin: Any, topic: str) -> str:
    """A ready topic with two partitions."""
    admin.create_topics([NewTopic(topic, 2, 1)], wait_for_metadata=True)
    return topic


def take(consumer: Any, count: int, *, within: float = 60.0) -> list[Any]:
    """Poll until that many records have arrived."""
    taken: list[Any] = []

    def enough() -> bool:
        for records in consumer.poll(timeout_ms=100).values():
            taken.extend(records)
        return len(taken) >= count

    eventually(enough, f"{count} records", within=within)
    return taken


def member(make: Make, topic: str, **settings: Any) -> Any:
    """A consumer of a group.

    It knows the topic's partitions before it joins: a leader without them never assigns any
    (kafka-python 3.0), which this broker does not hide with a delay of three seconds. It does not
    commit automatically, because several consumers in one thread would time out before each
    rebalance.
    """
    consumer = make(KafkaConsumer, topic, enable_auto_commit=False, **settings)
    assert consumer.partitions_for_topic(topic)
    return consumer


def reader(make: Make, topic: str, **settings: Any) -> Any:
    """A consumer without a group at the beginning of partition 0."""
    consumer = make(KafkaConsumer, **settings)
    consumer.assign([TopicPartition(topic, 0)])
    consumer.seek_to_beginning()
    return consumer


def test_what_is_produced_is_consumed_in_order(make: Make, topic: str) -> None:
    """Keys, values, nulls and headers are returned as sent, at the acknowledged offsets."""
    producer = make(KafkaProducer)
    sent = [
        (b"key", b"value", [("trace", b"1"), ("empty", b"")]),
        (None, b"no key", []),
        (b"tombstone", None, []),
    ]
    promised = [
        producer.send(topic, key=key, value=value, headers=headers).get(60).offset
        for key, value, headers in sent
    ]
    records = take(reader(make, topic), 3)
    assert promised == [record.offset for record in records] == [0, 1, 2]
    assert [(r.key, r.value, list(r.headers)) for r in records] == sent


@pytest.mark.parametrize("codec", ["gzip", "snappy", "lz4", "zstd"])
def test_a_compressed_batch_is_returned_unchanged(make: Make, topic: str, codec: str) -> None:
    """Each codec that kafka-python supports is stored and read."""
    producer = make(KafkaProducer, compression_type=codec, linger_ms=20)
    values = [b"%d " % i * 50 for i in range(200)]
    for value in values:
        producer.send(topic, value)
    producer.flush()
    assert [record.value for record in take(reader(make, topic), 200)] == values


def test_ten_thousand_small_records(make: Make, topic: str) -> None:
    """No record is lost, duplicated or reordered."""
    producer = make(KafkaProducer, linger_ms=5)
    for i in range(10_000):
        producer.send(topic, b"%d" % i)
    producer.flush()
    records = take(reader(make, topic), 10_000, within=60)
    assert [record.value for record in records] == [b"%d" % i for i in range(10_000)]


def test_a_record_of_almost_one_mebibyte(make: Make, topic: str) -> None:
    """The largest record the default max.message.bytes allows."""
    value = bytes(range(256)) * 4000
    make(KafkaProducer, max_request_size=2 << 20).send(topic, value).get(60)
    assert take(reader(make, topic), 1)[0].value == value


def test_acks_of_every_kind(make: Make, topic: str) -> None:
    """With acks 0, 1 and all the records are appended in order."""
    for landed, acks in enumerate((0, 1, "all"), start=1):
        producer = make(KafkaProducer, acks=acks, enable_idempotence=False)
        producer.send(topic, str(acks).encode(), partition=0)
        producer.flush()
        records = take(reader(make, topic), landed)  # with acks=0, wait until it is appended
    assert [record.value for record in records] == [b"0", b"1", b"all"]


def test_a_fetch_waits_its_max_wait_for_min_bytes(make: Make, topic: str) -> None:
    """A fetch with too little data ends at max_wait, and not before."""
    make(KafkaProducer).send(topic, b"little").get(60)
    consumer = reader(make, topic, fetch_min_bytes=100_000, fetch_max_wait_ms=700)
    consumer.position(TopicPartition(topic, 0))  # looks up the offset before the measurement
    started = time.monotonic()
    assert take(consumer, 1)[0].value == b"little"
    assert time.monotonic() - started > 0.65


def test_a_produce_wakes_a_waiting_consumer(make: Make, topic: str, bootstrap: str) -> None:
    """A long poll ends with the record, as its max_wait is longer than the test waits."""
    make(KafkaProducer).send(topic, b"first").get(60)
    consumer = reader(make, topic, fetch_max_wait_ms=120_000, request_timeout_ms=180_000)
    take(consumer, 1)
    consumer.poll(timeout_ms=300)  # leaves a fetch parked at the broker
    with Connection(bootstrap) as other:
        other.request(produce(topic, 0, batch([b"second"])))
        assert take(consumer, 1)[0].value == b"second"


def test_a_group_of_two_rebalances(make: Make, two_partitions: str, group: str) -> None:
    """A second member gets one partition; when it leaves, the first gets it back."""
    settings = {"group_id": group, "heartbeat_interval_ms": 200}
    first = member(make, two_partitions, **settings)
    both = {TopicPartition(two_partitions, i) for i in (0, 1)}

    def has_all() -> bool:
        first.poll(REBALANCE_MS)
        return bool(first.assignment() == both)

    eventually(has_all, "all to one")

    second = member(make, two_partitions, **settings)

    def shared() -> bool:
        first.poll(REBALANCE_MS)
        second.poll(REBALANCE_MS)
        one, other = first.assignment(), second.assignment()
        return len(one) == len(other) == 1 and one | other == both

    eventually(shared, "one partition each")
    second.close()
    eventually(has_all, "all back")


def test_a_cooperative_group_keeps_partitions(make: Make, two_partitions: str, group: str) -> None:
    """Incremental rebalancing (KIP-429) takes two generations and keeps one partition in place."""
    settings = {
        "group_id": group,
        "heartbeat_interval_ms": 200,
        "partition_assignment_strategy": [CooperativeStickyAssignor],
    }
    first = member(make, two_partitions, **settings)
    eventually(lambda: first.poll(50) or len(first.assignment()) == 2, "all to one")
    second = member(make, two_partitions, **settings)
    held: list[int] = []

    def shared() -> bool:
        first.poll(REBALANCE_MS)
        second.poll(REBALANCE_MS)
        held.append(len(first.assignment()))
        return held[-1] == len(second.assignment()) == 1

    eventually(shared, "one partition each")
    assert min(held) == 1


def test_a_static_member_returns_to_its_partition(
    make: Make, two_partitions: str, group: str
) -> None:
    """During its absence (KIP-345) no member rejoins."""
    settings = {"group_id": group, "heartbeat_interval_ms": 200}
    names = [{"group_instance_id": name} for name in ("i1", "i2")]
    stays, goes = (member(make, two_partitions, **settings, **name) for name in names)

    def shared() -> bool:
        stays.poll(REBALANCE_MS)
        goes.poll(REBALANCE_MS)
        return len(stays.assignment()) == len(goes.assignment()) == 1

    eventually(shared, "one partition each")
    its, generation = goes.assignment(), stays.group_metadata().generation_id
    goes.close()
    back = member(make, two_partitions, **settings, group_instance_id="i2")
    eventually(lambda: back.poll(50) or back.assignment(), "its partition")
    stays.poll(50)
    assert back.assignment() == its
    assert stays.group_metadata().generation_id == generation


def test_committed_offsets_outlive_their_consumer(make: Make, topic: str, group: str) -> None:
    """A new consumer of the group continues at the committed offset."""
    producer = make(KafkaProducer)
    for i in range(6):
        producer.send(topic, b"%d" % i, partition=0).get(60)
    settings = {"group_id": group, "auto_offset_reset": "earliest"}
    first = member(make, topic, max_poll_records=4, **settings)
    assert len(take(first, 4)) == 4
    first.commit()
    first.close()
    second = member(make, topic, **settings)
    assert [record.value for record in take(second, 2)] == [b"4", b"5"]
    assert second.committed(TopicPartition(topic, 0)) == 4


def test_offsets_by_timestamp_and_at_both_ends(make: Make, topic: str) -> None:
    """The first record at or after a time is found; both ends are exact."""
    producer = make(KafkaProducer)
    for timestamp in (1_000, 2_000, 3_000):
        producer.send(topic, b"x", partition=0, timestamp_ms=timestamp).get(60)
    partition = TopicPartition(topic, 0)
    consumer = reader(make, topic)
    found = consumer.offsets_for_times({partition: 1_500})[partition]
    assert (found.offset, found.timestamp) == (1, 2_000)
    assert consumer.offsets_for_times({partition: 9_000})[partition] is None
    assert consumer.beginning_offsets([partition]) == {partition: 0}
    assert consumer.end_offsets([partition]) == {partition: 3}


def test_topics_are_created_once_and_deleted_once(admin: Any, topic: str) -> None:
    """A second creation and a second deletion have Kafka's errors."""
    admin.create_topics([NewTopic(topic, 3, 1)], wait_for_metadata=True)
    assert topic in admin.list_topics()
    with pytest.raises(TopicAlreadyExistsError):
        admin.create_topics([NewTopic(topic, 3, 1)])
    admin.delete_topics([topic])
    eventually(lambda: topic not in admin.list_topics(), "the topic is deleted")
    with pytest.raises(UnknownTopicOrPartitionError):
        admin.delete_topics([topic])


def test_partitions_are_added(admin: Any, make: Make, two_partitions: str) -> None:
    """A topic grows, and the new partition accepts records."""
    admin.create_partitions({two_partitions: NewPartitions(3)})

    def three() -> bool:
        (described,) = admin.describe_topics([two_partitions])
        return len(described["partitions"]) == 3

    eventually(three, "three partitions")
    assert make(KafkaProducer).send(two_partitions, b"x", partition=2).get(60).partition == 2


def test_configs_given_at_creation_are_described(admin: Any, topic: str) -> None:
    """DescribeConfigs returns the configuration of the creation, and Kafka's default."""
    new = NewTopic(topic, 1, 1, topic_configs={"max.message.bytes": "4321"})
    admin.create_topics([new], wait_for_metadata=True)
    resource = ConfigResource(ConfigResourceType.TOPIC, topic)
    described = str(admin.describe_configs([resource], config_filter="all"))
    assert "4321" in described
    assert "segment.bytes" in described


def test_the_cluster_is_described(admin: Any, bootstrap: str) -> None:
    """One broker, at its advertised address."""
    (node,) = admin.describe_cluster()["brokers"]
    assert f"{node['host']}:{node['port']}" == bootstrap
