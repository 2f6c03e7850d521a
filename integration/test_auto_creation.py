"""Clients create a topic by producing to it: they retry after the first error.

The reaction to the first response, an error, depends on the library; the tests assert that all of
them succeed with their default settings.
"""

from __future__ import annotations

import warnings

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from confluent_kafka import Consumer, Producer

from integration.machine.deadlines import eventually
from integration.wire.connection import Connection
from integration.wire.requests import metadata, read_metadata

with warnings.catch_warnings():
    # kafka-python 3.0 reads its schemas through importlib.resources.read_text
    warnings.simplefilter("ignore", DeprecationWarning)
    from kafka import KafkaConsumer, KafkaProducer

UNKNOWN_TOPIC_OR_PARTITION = 3


@pytest.fixture
def anyio_backend() -> str:
    """aiokafka supports only asyncio."""
    return "asyncio"


def test_the_first_response_is_an_error(bootstrap: str, topic: str) -> None:
    """A client without retries fails, as with Kafka."""
    with Connection(bootstrap) as connection:
        first = read_metadata(connection.request(metadata([topic]))).topics
        assert first == {topic: (UNKNOWN_TOPIC_OR_PARTITION, {})}
        eventually(
            lambda: read_metadata(connection.request(metadata([topic]))).topics[topic][0] == 0,
            "the topic is created",
        )


def test_confluent_kafka(bootstrap: str, topic: str, group: str) -> None:
    """A producer creates the topic, and a consumer of a new group reads it."""
    errors: list[object] = []
    producer = Producer({"bootstrap.servers": bootstrap})
    producer.produce(topic, b"x", callback=lambda error, _: errors.append(error))
    assert producer.flush(60) == 0
    assert errors == [None]
    settings = {"bootstrap.servers": bootstrap, "group.id": group, "auto.offset.reset": "earliest"}
    consumer = Consumer(settings)
    consumer.subscribe([topic])
    read: list[bytes | None] = []

    def has_read() -> bool:
        message = consumer.poll(0.1)
        if message is not None and message.error() is None:
            read.append(message.value())
        return bool(read)

    try:
        eventually(has_read, "the record")
    finally:
        consumer.close()
    assert read == [b"x"]


def test_kafka_python(bootstrap: str, topic: str, group: str) -> None:
    """A producer creates the topic, and a consumer of a new group reads it."""
    producer = KafkaProducer(bootstrap_servers=bootstrap)
    assert producer.send(topic, b"x").get(60).offset == 0
    producer.close()
    consumer = KafkaConsumer(
        topic,
        bootstrap_servers=bootstrap,
        group_id=group,
        auto_offset_reset="earliest",
        consumer_timeout_ms=20_000,
    )
    assert next(consumer).value == b"x"
    consumer.close()


@pytest.mark.anyio
async def test_aiokafka(bootstrap: str, topic: str, group: str) -> None:
    """A producer creates the topic, and a consumer of a new group reads it."""
    async with AIOKafkaProducer(bootstrap_servers=bootstrap) as producer:
        assert (await producer.send_and_wait(topic, b"x")).offset == 0
    async with AIOKafkaConsumer(
        topic, bootstrap_servers=bootstrap, group_id=group, auto_offset_reset="earliest"
    ) as consumer:
        assert (await consumer.getone()).value == b"x"
