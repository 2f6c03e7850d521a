"""Transactions of kafka-python, which uses the old protocol with newer versions."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

with warnings.catch_warnings():
    # kafka-python 3.0 reads its schemas through importlib.resources.read_text
    warnings.simplefilter("ignore", DeprecationWarning)
    from kafka import KafkaConsumer, KafkaProducer, TopicPartition
    from kafka.errors import KafkaError, ProducerFencedError
    from kafka.structs import OffsetAndMetadata

from antechamber import Cluster
from integration.clients.api_uses import ApiUses
from integration.machine.deadlines import eventually

WITHIN_S = 60
TIMEOUT_MS = 1500

Make = Callable[..., Any]


@pytest.fixture
def make(bootstrap: str) -> Iterator[Make]:
    """A function that makes a client of a class; it is closed after the test."""
    with ExitStack() as clients:

        def build(client: Make, at: str = bootstrap, *arguments: Any, **settings: Any) -> Any:
            built = client(*arguments, bootstrap_servers=at, **settings)
            clients.callback(built.close)
            return built

        yield build


def transactional(make: Make, name: str, *at: str, **settings: Any) -> Any:
    """A producer that is ready for its first transaction."""
    producer = make(KafkaProducer, *at, transactional_id=name, **settings)
    producer.init_transactions()
    return producer


def reader(make: Make, topic: str, *at: str, isolation: str = "read_committed") -> Any:
    """A consumer at the beginning of partition 0, without a group."""
    consumer = make(KafkaConsumer, *at, isolation_level=isolation)
    consumer.assign([TopicPartition(topic, 0)])
    consumer.seek_to_beginning()
    return consumer


def take(consumer: Any, count: int) -> list[bytes]:
    """Poll until that many records have arrived."""
    taken: list[bytes] = []

    def enough() -> bool:
        polled = consumer.poll(timeout_ms=100, max_records=count - len(taken))
        for records in polled.values():
            taken.extend(record.value for record in records)
        return len(taken) >= count

    eventually(enough, f"{count} records", within=WITHIN_S)
    return taken


def test_committed_records_are_read_and_aborted_ones_are_not(make: Make, topic: str) -> None:
    """A read_uncommitted consumer reads all of them."""
    producer = transactional(make, topic)
    for number in range(6):
        producer.begin_transaction()
        producer.send(topic, b"%d" % number, partition=0).get(WITHIN_S)
        if number % 3 == 2:
            producer.abort_transaction()
        else:
            producer.commit_transaction()

    assert take(reader(make, topic), 4) == [b"0", b"1", b"3", b"4"]
    everything = take(reader(make, topic, isolation="read_uncommitted"), 6)
    assert everything == [b"0", b"1", b"2", b"3", b"4", b"5"]


def test_open_transactions_hold_records_back(make: Make, topic: str) -> None:
    """Also later records of other producers."""
    producer, other = transactional(make, topic), make(KafkaProducer)
    producer.begin_transaction()
    producer.send(topic, b"first", partition=0).get(WITHIN_S)
    other.send(topic, b"second", partition=0).get(WITHIN_S)
    consumer = reader(make, topic)

    assert consumer.poll(timeout_ms=500) == {}

    producer.commit_transaction()
    assert take(consumer, 2) == [b"first", b"second"]


def test_an_aborted_transformation_is_repeated(make: Make, topic: str, group: str) -> None:
    """Consumed offsets are committed with the produced records, or not at all."""
    source, target = f"{topic}-source", f"{topic}-target"
    plain = make(KafkaProducer)
    for number in range(4):
        plain.send(source, b"%d" % number, partition=0).get(WITHIN_S)
    producer = transactional(make, topic)
    for is_committed in (False, True, True):
        consumer = make(
            KafkaConsumer, group_id=group, auto_offset_reset="earliest", enable_auto_commit=False
        )
        assert consumer.partitions_for_topic(source)
        consumer.subscribe([source])
        producer.begin_transaction()
        for value in take(consumer, 2):
            producer.send(target, value + b"!", partition=0).get(WITHIN_S)
        positions = {
            partition: OffsetAndMetadata(consumer.position(partition), "", -1)
            for partition in consumer.assignment()
        }
        producer.send_offsets_to_transaction(positions, consumer.group_metadata())
        if is_committed:
            producer.commit_transaction()
        else:
            producer.abort_transaction()
        consumer.close()

    assert take(reader(make, target), 4) == [b"0!", b"1!", b"2!", b"3!"]
    assert make(KafkaConsumer, group_id=group).committed(TopicPartition(source, 0)) == 4


def test_the_earlier_producer_of_an_id_is_fenced(make: Make, topic: str) -> None:
    """Its open transaction is aborted, and it cannot commit."""
    first = transactional(make, topic)
    first.begin_transaction()
    first.send(topic, b"of the first", partition=0).get(WITHIN_S)
    second = transactional(make, topic)
    second.begin_transaction()
    second.send(topic, b"of the second", partition=0).get(WITHIN_S)
    second.commit_transaction()

    with pytest.raises(ProducerFencedError):
        first.commit_transaction()

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
    producer.send(topic, b"late", partition=0).get(WITHIN_S)
    make(KafkaProducer, kafka.bootstrap).send(topic, b"other", partition=0).get(WITHIN_S)

    assert take(reader(make, topic, kafka.bootstrap), 1) == [b"other"]
    with pytest.raises(KafkaError):
        producer.commit_transaction()
