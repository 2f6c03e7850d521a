"""Real client libraries in typical use, and their errors."""

from __future__ import annotations

import asyncio
import warnings
from typing import Any

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # imported from here by its users
    AdminClient,
    NewTopic,
)

from integration.machine.deadlines import eventually
from integration.parity.scenario import Kafka, Observations, scenario

with warnings.catch_warnings():
    # kafka-python 3.0 reads its schemas through importlib.resources.read_text
    warnings.simplefilter("ignore", DeprecationWarning)
    from kafka import KafkaConsumer, KafkaProducer
    from kafka import TopicPartition as PythonTopicPartition

VALUES = (b"one", b"two", b"three")


@scenario()
def kafka_python_reads_what_it_wrote(kafka: Kafka) -> Observations:
    """kafka-python: records with keys and headers, read in a group and committed."""
    topic, group = kafka.topic(2), kafka.new_name("group")
    producer = KafkaProducer(bootstrap_servers=kafka.bootstrap)
    for value in VALUES:
        sent = producer.send(topic, value, key=b"key", headers=[("h", value)], partition=1)
        done = sent.get(timeout=60)
        yield done.partition, done.offset
    producer.close()
    consumer = KafkaConsumer(
        topic,
        bootstrap_servers=kafka.bootstrap,
        group_id=group,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
    )
    taken: list[Any] = []

    def all_there() -> bool:
        for records in consumer.poll(timeout_ms=5000).values():
            taken.extend(records)
        return len(taken) == len(VALUES)

    eventually(all_there, "all records")
    yield [(each.offset, each.key, each.value, each.headers) for each in taken]
    consumer.commit()
    partition = PythonTopicPartition(topic, 1)
    yield consumer.committed(partition), consumer.position(partition)
    yield consumer.end_offsets([partition])[partition]
    consumer.close()


@scenario()
def confluent_reads_what_it_wrote(kafka: Kafka) -> Observations:
    """confluent-kafka: an idempotent producer, and a consumer that reads to the partition's end."""
    topic, group = kafka.topic(), kafka.new_name("group")
    producer = Producer(_confluent(kafka, enable_idempotence=True))
    delivered: list[tuple[Any, Any]] = []
    for value in VALUES:
        producer.produce(
            topic, value, on_delivery=lambda error, message: delivered.append((error, message))
        )
    yield "left", producer.flush(60)
    yield [(error, message.offset(), message.value()) for error, message in delivered]
    consumer = Consumer(
        _confluent(kafka, group_id=group, auto_offset_reset="earliest", enable_partition_eof=True)
    )
    consumer.subscribe([topic])
    seen: list[Any] = []
    while not seen or seen[-1][0] is None:
        message = consumer.poll(20)
        assert message is not None, "no message arrived"
        error = message.error()
        seen.append((error and error.name(), message.offset(), error is None and message.value()))
    yield seen
    (committed,) = consumer.commit(asynchronous=False)
    yield committed.offset, committed.error
    (found,) = consumer.offsets_for_times([TopicPartition(topic, 0, 0)], timeout=60)
    yield found.offset
    consumer.close()


@scenario()
def confluent_errors(kafka: Kafka) -> Observations:
    """confluent-kafka: the errors that its users get."""
    admin = AdminClient(_confluent(kafka))
    existing = kafka.topic()
    for new in (NewTopic(existing, 1, 1), NewTopic(kafka.new_name("topic"), 1, 7), NewTopic("a b")):
        (result,) = admin.create_topics([new]).values()
        try:
            yield result.result(60)
        except KafkaException as error:
            yield error.args[0].name()
    producer = Producer(_confluent(kafka, message_max_bytes=5_000_000))
    refused: list[Any] = []
    producer.produce(
        existing, bytes(3_000_000), on_delivery=lambda e, _: refused.append(e and e.name())
    )
    producer.flush(60)
    yield refused


@scenario()
def aiokafka_reads_what_it_wrote(kafka: Kafka) -> Observations:
    """aiokafka: records in batches, read in a group with committed offsets."""
    topic, group = kafka.topic(), kafka.new_name("group")

    async def play() -> list[Any]:
        seen: list[Any] = []
        producer = AIOKafkaProducer(bootstrap_servers=kafka.bootstrap, acks="all")
        await producer.start()
        for value in VALUES:
            done = await producer.send_and_wait(topic, value)
            seen.append((done.partition, done.offset))
        await producer.stop()
        consumer = AIOKafkaConsumer(
            topic,
            bootstrap_servers=kafka.bootstrap,
            group_id=group,
            auto_offset_reset="earliest",
            enable_auto_commit=False,
        )
        await consumer.start()
        for _ in VALUES:
            record = await asyncio.wait_for(consumer.getone(), 20)
            seen.append((record.offset, record.value))
        await consumer.commit()
        (partition,) = consumer.assignment()
        seen.append(await consumer.committed(partition))
        await consumer.stop()
        return seen

    yield from asyncio.run(play())


def _confluent(kafka: Kafka, **settings: Any) -> dict[str, Any]:
    """librdkafka's settings, with `_` for `.`, without its log."""
    dotted = {key.replace("_", "."): value for key, value in settings.items()}
    return {"bootstrap.servers": kafka.bootstrap, "log_level": 0, **dotted}
