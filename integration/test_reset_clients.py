"""Clients that stay connected during a reset, their known reactions, and that they continue."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from confluent_kafka import KafkaError, KafkaException, Producer

from antechamber import Cluster
from integration.kafka.java_program import java_command

JAVA = Path(__file__).parent / "java" / "ResetClients.java"
WITHIN_S = 60

# Runs a command of the Java program, and returns the line that it prints.
Command = Callable[[str], str]


def test_aiokafka_continues() -> None:
    """The producer at offset 0; the group, which the broker no longer knows, is joined again.

    With automatic commits the consumer would commit its old position to the new group.
    """
    with Cluster(topics=["orders"]) as kafka:
        asyncio.run(produce_and_consume(kafka))


async def produce_and_consume(kafka: Cluster) -> None:
    """Before a reset and after it, with the same clients."""
    servers = {"bootstrap_servers": kafka.bootstrap, "metadata_max_age_ms": 1000}
    producer = AIOKafkaProducer(**servers)
    consumer = AIOKafkaConsumer(
        "orders",
        group_id="shipping",
        auto_offset_reset="earliest",
        heartbeat_interval_ms=200,
        enable_auto_commit=False,
        **servers,
    )
    await producer.start()
    await consumer.start()
    try:
        for value in (b"before", b"after"):
            async with asyncio.timeout(WITHIN_S):
                assert (await producer.send_and_wait("orders", value)).offset == 0
                record = await consumer.getone()
            assert (record.value, record.offset) == (value, 0)
            assert [group["group"] for group in kafka.groups()] == ["shipping"]
            kafka.reset()
            assert kafka.groups() == []
    finally:
        await consumer.stop()
        await producer.stop()


def test_a_transactional_producer_aborts_and_continues() -> None:
    """Its producer id is not known: librdkafka requires an abort, and gets another one by it."""
    with Cluster(topics=["orders"]) as kafka:
        producer = Producer({"bootstrap.servers": kafka.bootstrap, "transactional.id": "billing"})
        producer.init_transactions(WITHIN_S)
        produce_in_transaction(producer)
        kafka.reset()

        with pytest.raises(KafkaException) as refused:
            produce_in_transaction(producer)
        error: KafkaError = refused.value.args[0]
        assert error.code() == KafkaError.INVALID_PRODUCER_ID_MAPPING
        assert (error.txn_requires_abort(), error.fatal()) == (True, False)
        producer.abort_transaction(WITHIN_S)
        produce_in_transaction(producer)

        [orders] = [topic for topic in kafka.cluster()["topics"] if topic["name"] == "orders"]
        assert orders["partitions"][0]["log_end_offset"] == 2  # the record and its marker


def produce_in_transaction(producer: Producer) -> None:
    """Commit a record; raises KafkaException."""
    producer.begin_transaction()
    producer.produce("orders", b"paid", partition=0)
    producer.commit_transaction(WITHIN_S)


@contextmanager
def java_clients(kafka: Cluster, group_protocol: str, classes: Path) -> Iterator[Command]:
    """Run the Java program, which executes one command at a time."""
    command = java_command(JAVA, "ResetClients", classes)
    with subprocess.Popen(
        [*command, kafka.bootstrap, group_protocol],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        commands, results = program.stdin, program.stdout

        def run(word: str) -> str:
            commands.write(f"{word}\n")
            commands.flush()
            return results.readline().strip()

        try:
            yield run
        finally:
            program.kill()


@pytest.mark.jvm
@pytest.mark.parametrize(
    ("group_protocol", "polled"),
    [("classic", "sent at 0"), ("consumer", "GroupIdNotFoundException")],
)
def test_java_clients_after_a_reset(group_protocol: str, polled: str, tmp_path: Path) -> None:
    """The idempotent producer continues at offset 0, and the classic consumer reads the new topic.

    The error of a heartbeat of the consumer protocol is fatal for its client.
    """
    with Cluster(topics=["orders"]) as kafka, java_clients(kafka, group_protocol, tmp_path) as run:
        assert [run("send"), run("poll")] == ["0", "sent at 0"]
        kafka.reset()
        assert [run("send"), run("poll")] == ["0", polled]


@pytest.mark.jvm
def test_a_transactional_producer_of_java_is_made_again(tmp_path: Path) -> None:
    """It stops at once with an error that is fatal for it, as after the loss of Kafka's topic.

    A Kafka whose ``__transaction_state`` is deleted and created again has the same results.
    """
    with Cluster(topics=["orders"]) as kafka, java_clients(kafka, "classic", tmp_path) as run:
        assert run("transact") == "committed"
        kafka.reset()

        assert run("transact") == "InvalidPidMappingException"
        assert run("abort") == "KafkaException of InvalidPidMappingException"
        assert [run("close"), run("transact")] == ["closed", "committed"]

        [orders] = [topic for topic in kafka.cluster()["topics"] if topic["name"] == "orders"]
        assert orders["partitions"][0]["log_end_offset"] == 2  # the record and its marker
