"""Real clients with three nodes, one of which at a time is paused or killed and restarted.

Each client, in a process of its own, writes numbered records with acks=all and keeps the
acknowledged numbers. At the end all of these records must exist.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from aiokafka import AIOKafkaProducer
from confluent_kafka import Consumer, Message, Producer, TopicPartition
from kafka import KafkaProducer
from kafka.errors import KafkaError

from antechamber import Cluster
from integration.machine.deadlines import eventually

Acknowledged = set[int]
PAUSE_SECONDS = 0.4
ROUNDS = 2
# Records of each client before the first fault and after the last one.
RECORDS_MIN = 100


@pytest.fixture
def kafka() -> Iterator[Cluster]:
    """Topics with replicas on all nodes, which stay writable without one of them."""
    config: dict[str, str | int] = {
        "min.insync.replicas": 2,
        "default.replication.factor": 3,
        "replica.lag.time.max.ms": 1000,
        "auto.create.topics.enable": "false",
    }
    topics = ["confluent:3:3", "kafka-python:3:3", "aiokafka:3:3"]
    with Cluster(3, topics=topics, config=config) as kafka:
        yield kafka


def with_confluent(bootstrap: str, until: Path) -> Acknowledged:
    """librdkafka, idempotent."""
    acknowledged: Acknowledged = set()

    def delivered(error: object, message: Message) -> None:
        if error is None:
            acknowledged.add(int(message.value() or b""))

    producer = Producer({"bootstrap.servers": bootstrap, "enable.idempotence": True})
    number = 0
    while not until.exists():
        producer.produce("confluent", str(number).encode(), on_delivery=delivered)
        producer.poll(0)
        number += 1
        time.sleep(0.0005)
    assert producer.flush(60) == 0
    return acknowledged


def with_kafka_python(bootstrap: str, until: Path) -> Acknowledged:
    """kafka-python."""
    producer = KafkaProducer(bootstrap_servers=bootstrap, acks="all", retries=1000)
    sent: list[Any] = []
    while not until.exists():
        number = len(sent)
        sent.append(producer.send("kafka-python", str(number).encode(), partition=number % 3))
        time.sleep(0.001)
    producer.flush(60)
    acknowledged = set()
    for number, future in enumerate(sent):
        try:
            future.get(timeout=30)
        except KafkaError:
            continue
        acknowledged.add(number)
    producer.close()
    return acknowledged


def with_aiokafka(bootstrap: str, until: Path) -> Acknowledged:
    """aiokafka, idempotent."""

    async def run() -> Acknowledged:
        producer = AIOKafkaProducer(bootstrap_servers=bootstrap, enable_idempotence=True)
        await producer.start()
        sent: list[Any] = []
        while not until.exists():  # noqa: ASYNC240 - the check is fast
            number = len(sent)
            record = str(number).encode()
            sent.append(await producer.send("aiokafka", record, partition=number % 3))
            await asyncio.sleep(0.001)
        ended = await asyncio.gather(*sent, return_exceptions=True)
        await producer.stop()
        return {n for n, end in enumerate(ended) if not isinstance(end, BaseException)}

    return asyncio.run(run())


CLIENTS: dict[str, Callable[[str, Path], Acknowledged]] = {
    "confluent": with_confluent,
    "kafka-python": with_kafka_python,
    "aiokafka": with_aiokafka,
}


def _trouble(kafka: Cluster) -> None:
    """Pause each node for a while, then kill and restart each when the others are in sync."""
    for _ in range(ROUNDS):
        for node in (1, 2, 3):
            kafka.pause(node)
            time.sleep(PAUSE_SECONDS)
            kafka.resume(node)
            kafka.wait_in_sync(timeout=60)
            kafka.stop(node)
            time.sleep(PAUSE_SECONDS)
            kafka.start(node)
            kafka.wait_in_sync(timeout=60)


def _wait_for_records(kafka: Cluster, count: int) -> None:
    """Wait until *count* more records of each client are acknowledged."""
    wanted = {name: replicated + count for name, replicated in _replicated(kafka).items()}

    def written() -> bool:
        now = _replicated(kafka)
        return all(now[name] >= least for name, least in wanted.items())

    eventually(written, f"{count} more records of each client")


def _replicated(kafka: Cluster) -> dict[str, int]:
    topics = {topic["name"]: topic["partitions"] for topic in kafka.cluster()["topics"]}
    return {name: sum(each["high_watermark"] for each in topics[name]) for name in CLIENTS}


def _read_all(kafka: Cluster, topic: str) -> list[int]:
    """Every record of the topic, in order of each partition."""
    consumer = Consumer(
        {"bootstrap.servers": kafka.bootstrap, "group.id": "none", "enable.auto.commit": False}
    )
    numbers = []
    for partition in range(3):
        here = TopicPartition(topic, partition, 0)
        _, end = consumer.get_watermark_offsets(here, timeout=60)
        consumer.assign([here])
        count = 0
        while count < end:
            messages = consumer.consume(end - count, timeout=60)
            assert messages, f"{topic}-{partition}: {count} of {end}"
            numbers += [int(message.value() or b"") for message in messages]
            count += len(messages)
    consumer.close()
    return numbers


def test_no_acknowledged_record_is_lost(kafka: Cluster, tmp_path: Path) -> None:
    """Three clients, six pauses, six kills; idempotent clients have no duplicates."""
    until = tmp_path / "enough"
    with ProcessPoolExecutor(len(CLIENTS), get_context("spawn")) as others:
        running: dict[str, Future[Acknowledged]] = {
            name: others.submit(client, kafka.bootstrap, until) for name, client in CLIENTS.items()
        }
        try:
            _wait_for_records(kafka, RECORDS_MIN)
            _trouble(kafka)
            _wait_for_records(kafka, RECORDS_MIN)
        finally:
            until.touch()
        acknowledged = {name: future.result() for name, future in running.items()}

    for name, numbers in acknowledged.items():
        found = _read_all(kafka, name)
        assert len(numbers) >= RECORDS_MIN, name
        assert not numbers - set(found), f"{name} lost {sorted(numbers - set(found))[:5]}"
        if name != "kafka-python":
            assert len(found) == len(set(found)), name
