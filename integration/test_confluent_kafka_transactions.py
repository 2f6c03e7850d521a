"""Transactions of confluent-kafka (librdkafka), which uses the old protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition

from antechamber import Cluster
from integration.clients.api_uses import ApiUses
from integration.machine.deadlines import eventually

WITHIN_S = 60
TIMEOUT_MS = 1500

Make = Callable[..., Any]


@pytest.fixture
def make(bootstrap: str) -> Iterator[Make]:
    """A function that makes a consumer or a producer; consumers are closed after the test."""
    with ExitStack() as consumers:

        def build(client: Make, at: str = bootstrap, **settings: Any) -> Any:
            dotted = {key.replace("_", "."): value for key, value in settings.items()}
            built = client({"bootstrap.servers": at, "log_level": 0, **dotted})
            if client is Consumer:
                consumers.callback(built.close)
            return built

        yield build


def transactional(make: Make, name: str, *at: str, **settings: Any) -> Any:
    """A producer that is ready for its first transaction."""
    producer = make(Producer, *at, transactional_id=name, **settings)
    producer.init_transactions(WITHIN_S)
    return producer


def reader(make: Make, topic: str, *at: str, isolation: str = "read_committed") -> Any:
    """A consumer at the beginning of partition 0, without a group."""
    consumer = make(
        Consumer, *at, group_id="unused", enable_auto_commit=False, isolation_level=isolation
    )
    consumer.assign([TopicPartition(topic, 0, 0)])
    return consumer


def take(consumer: Any, count: int) -> list[bytes]:
    """Consume until that many records have arrived."""
    taken: list[Any] = []

    def enough() -> bool:
        for message in consumer.consume(count - len(taken), timeout=0.1):
            assert message.error() is None, message.error()
            taken.append(message.value())
        return len(taken) >= count

    eventually(enough, f"{count} records", within=WITHIN_S)
    return taken


def test_committed_records_are_read_and_aborted_ones_are_not(make: Make, topic: str) -> None:
    """A read_uncommitted consumer reads all of them."""
    producer = transactional(make, topic)
    for number in range(6):
        producer.begin_transaction()
        producer.produce(topic, b"%d" % number, partition=0)
        assert producer.flush(WITHIN_S) == 0  # an abort drops unsent records
        if number % 3 == 2:
            producer.abort_transaction(WITHIN_S)
        else:
            producer.commit_transaction(WITHIN_S)

    assert take(reader(make, topic), 4) == [b"0", b"1", b"3", b"4"]
    everything = take(reader(make, topic, isolation="read_uncommitted"), 6)
    assert everything == [b"0", b"1", b"2", b"3", b"4", b"5"]


def test_open_transactions_hold_records_back(make: Make, topic: str) -> None:
    """Also later records of other producers."""
    producer, other = transactional(make, topic), make(Producer)
    producer.begin_transaction()
    producer.produce(topic, b"first", partition=0)
    assert producer.flush(WITHIN_S) == 0
    other.produce(topic, b"second", partition=0)
    assert other.flush(WITHIN_S) == 0
    consumer = reader(make, topic)

    assert consumer.consume(1, timeout=0.5) == []

    producer.commit_transaction(WITHIN_S)
    assert take(consumer, 2) == [b"first", b"second"]


def test_an_aborted_transformation_is_repeated(make: Make, topic: str, group: str) -> None:
    """Consumed offsets are committed with the produced records, or not at all."""
    source, target = f"{topic}-source", f"{topic}-target"
    plain = make(Producer)
    for number in range(4):
        plain.produce(source, b"%d" % number, partition=0)
    assert plain.flush(WITHIN_S) == 0
    producer = transactional(make, topic)
    for is_committed in (False, True, True):
        consumer = make(
            Consumer, group_id=group, auto_offset_reset="earliest", enable_auto_commit=False
        )
        consumer.subscribe([source])
        producer.begin_transaction()
        for value in take(consumer, 2):
            producer.produce(target, value + b"!", partition=0)
        positions = consumer.position(consumer.assignment())
        producer.send_offsets_to_transaction(
            positions, consumer.consumer_group_metadata(), WITHIN_S
        )
        if is_committed:
            producer.commit_transaction(WITHIN_S)
        else:
            producer.abort_transaction(WITHIN_S)
        consumer.close()

    assert take(reader(make, target), 4) == [b"0!", b"1!", b"2!", b"3!"]
    committed = make(Consumer, group_id=group).committed([TopicPartition(source, 0)], WITHIN_S)
    assert committed[0].offset == 4


def test_the_earlier_producer_of_an_id_is_fenced(make: Make, topic: str) -> None:
    """Its open transaction is aborted, and it cannot commit."""
    first = transactional(make, topic)
    first.begin_transaction()
    first.produce(topic, b"of the first", partition=0)
    assert first.flush(WITHIN_S) == 0
    second = transactional(make, topic)
    second.begin_transaction()
    second.produce(topic, b"of the second", partition=0)
    second.commit_transaction(WITHIN_S)

    with pytest.raises(KafkaException) as refused:
        first.commit_transaction(WITHIN_S)

    assert refused.value.args[0].fatal()
    assert take(reader(make, topic), 1) == [b"of the second"]


def test_a_transaction_times_out(
    cluster: Callable[..., Cluster], make: Make, api_uses: ApiUses, topic: str
) -> None:
    """It is aborted, and its producer cannot commit it."""
    kafka = cluster(
        records=api_uses.records(),
        config={"transaction.abort.timed.out.transaction.cleanup.interval.ms": 200},
    )
    producer = transactional(make, topic, kafka.bootstrap, transaction_timeout_ms=TIMEOUT_MS)
    producer.begin_transaction()
    producer.produce(topic, b"late", partition=0)
    assert producer.flush(WITHIN_S) == 0
    other = make(Producer, kafka.bootstrap)
    other.produce(topic, b"other", partition=0)
    assert other.flush(WITHIN_S) == 0

    assert take(reader(make, topic, kafka.bootstrap), 1) == [b"other"]
    with pytest.raises(KafkaException):
        producer.commit_transaction(WITHIN_S)
