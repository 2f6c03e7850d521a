"""kafka-transactions.sh and ``antechamber transactions`` with open and hanging transactions.

A transaction hangs here because an old produce request, which the broker does not verify, has a
producer id that no coordinator knows. Its record has the timestamp 0, so it is older than
any limit.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition

from antechamber import Cluster
from integration.clients.api_uses import ApiUses
from integration.kafka.tools import KafkaTools
from integration.machine.deadlines import ENDS_WITHIN_S, eventually
from integration.wire.connection import Connection
from integration.wire.requests import produce, read_produce
from protocol.record_batch.batch import build_batch
from protocol.record_batch.header import TRANSACTIONAL_BIT
from protocol.record_batch.record import Record

PRODUCER_ID = 471_100
WITHIN_S = 60


@pytest.fixture(scope="module")
def kafka(against: str, api_uses: ApiUses) -> Iterator[Cluster]:
    """A broker that does not verify old produce requests."""
    if against != "antechamber":
        pytest.skip("tests our own broker")
    config = {"transaction.partition.verification.enable": False}
    with Cluster(config=config, record=True, records=api_uses.records()) as running:
        yield running


def open_transaction(kafka: Cluster, topic: str) -> Producer:
    """A producer that is named as the topic, with one record in an open transaction."""
    producer = Producer({"bootstrap.servers": kafka.bootstrap, "transactional.id": topic})
    producer.init_transactions(WITHIN_S)
    producer.begin_transaction()
    producer.produce(topic, b"open")
    assert producer.flush(WITHIN_S) == 0
    return producer


def hang(kafka: Cluster, topic: str) -> None:
    """Write a batch of an unknown transactional producer after a plain record."""
    producer = Producer({"bootstrap.servers": kafka.bootstrap})
    producer.produce(topic, b"plain")
    assert producer.flush(WITHIN_S) == 0
    data = build_batch(
        [Record(None, b"hangs", timestamp=0)],
        producer_id=PRODUCER_ID,
        producer_epoch=0,
        base_sequence=0,
        attributes=TRANSACTIONAL_BIT,
    )
    with Connection(kafka.bootstrap) as connection:
        sent = produce(topic, 0, data, transactional_id=topic)
        assert read_produce(connection.request(sent)).error == 0


def row(output: str, word: str) -> list[str]:
    """The columns of the only line of a table that contains *word*."""
    [line] = [line for line in output.splitlines() if word in line]
    return line.split()


def command(kafka: Cluster, *words: str) -> str:
    """The output of ``antechamber transactions``."""
    return subprocess.run(
        [sys.executable, "-m", "antechamber", "transactions", *words],
        env={**os.environ, "ANTECHAMBER_ADMIN": kafka.admin},
        capture_output=True,
        text=True,
        timeout=ENDS_WITHIN_S,
        check=True,
    ).stdout


def polled(consumer: Consumer) -> bytes | None:
    """The value of the next record."""
    message = consumer.poll(WITHIN_S)
    assert message is not None
    assert message.error() is None
    return message.value()


def hanging(kafka: Cluster, topic: str) -> list[dict[str, Any]]:
    """The hanging transactions of a topic."""
    return [each for each in kafka.hanging_transactions() if each["topic"] == topic]


@pytest.mark.jvm
def test_an_open_transaction_is_listed_described_and_terminated(
    tools: KafkaTools, kafka: Cluster, topic: str
) -> None:
    """The tool and the handle have the same producer; its next commit fails."""
    there = ("--bootstrap-server", kafka.bootstrap)
    producer = open_transaction(kafka, topic)
    [ours] = [each for each in kafka.transactions() if each["transactional_id"] == topic]

    listed = row(tools.run("TransactionsCommand", *there, "list"), topic)
    described = row(
        tools.run("TransactionsCommand", *there, "describe", "--transactional-id", topic), topic
    )
    partition = ("--topic", topic, "--partition", "0")
    producers = tools.run("TransactionsCommand", *there, "describe-producers", *partition)

    assert listed == [topic, "1", str(ours["producer_id"]), "Ongoing"]
    assert str(ours["producer_id"]) in described
    assert f"{topic}-0" in described[-1]
    assert producers.splitlines()[-1].split()[0] == str(ours["producer_id"])
    assert (ours["state"], ours["markers_outstanding"]) == ("Ongoing", 0)
    assert f"{topic} (producer id {ours['producer_id']}" in command(kafka)

    terminate = ("forceTerminateTransaction", "--transactionalId", topic)
    tools.run("TransactionsCommand", *there, *terminate)

    eventually(
        lambda: topic not in [each["transactional_id"] for each in kafka.transactions()],
        "the transaction has ended",
    )
    with pytest.raises(KafkaException):
        producer.commit_transaction(WITHIN_S)


@pytest.mark.jvm
def test_kafkas_tool_finds_and_aborts_a_hanging_transaction(
    tools: KafkaTools, kafka: Cluster, topic: str
) -> None:
    """Afterwards neither the tool nor the handle finds it."""
    there = ("--bootstrap-server", kafka.bootstrap)
    hang(kafka, topic)
    assert [each["producer_id"] for each in hanging(kafka, topic)] == [PRODUCER_ID]

    found = tools.run("TransactionsCommand", *there, "find-hanging", "--broker-id", "1")
    assert str(PRODUCER_ID) in row(found, topic)

    partition = ("--topic", topic, "--partition", "0")
    tools.run("TransactionsCommand", *there, "abort", *partition, "--start-offset", "1")

    assert hanging(kafka, topic) == []
    left = tools.run("TransactionsCommand", *there, "find-hanging", "--broker-id", "1")
    assert topic not in left


def test_a_waiting_consumer_is_explained_and_released(kafka: Cluster, topic: str) -> None:
    """The abort of the hanging transaction lets a read_committed consumer read what follows."""
    hang(kafka, topic)
    consumer = Consumer(
        {
            "bootstrap.servers": kafka.bootstrap,
            "group.id": topic,
            "client.id": topic,
            "fetch.wait.max.ms": 30_000,
        }
    )
    consumer.assign([TopicPartition(topic, 0, 0)])
    assert polled(consumer) == b"plain"
    [waiting] = kafka.wait_parked("Fetch", topic=topic, client=topic, timeout=WITHIN_S)

    assert waiting["waited_for"]["kind"] == "transaction"
    assert waiting["waited_for"]["offset"] == 1
    assert waiting["waited_for"]["transaction"]["producer_id"] == PRODUCER_ID
    assert waiting["waited_for"]["transaction"]["transactional_id"] is None

    [found] = hanging(kafka, topic)
    shown = command(kafka, "--hanging")
    assert f"producer id {PRODUCER_ID}, epoch 0, in {topic}-0 from offset 1" in shown
    where = ("--topic", topic, "--partition", "0", "--producer-id", str(PRODUCER_ID))
    assert json.loads(command(kafka, "abort", *where, "--json"))["first_offset"] == 1
    assert found["first_offset"] == 1

    def ended() -> list[dict[str, Any]]:
        records = kafka.requests("Fetch", topic=topic, client=topic)
        return [each for each in records if each["completed_by"]["cause"] == "transaction"]

    eventually(ended, "a fetch is completed by the abort")
    assert ended()[0]["completed_by"]["transaction"]["outcome"] == "abort"
    consumer.close()


def test_a_committed_transaction_names_its_producer(kafka: Cluster, topic: str) -> None:
    """A real producer and a real consumer; the record has the transactional id and the commit."""
    producer = open_transaction(kafka, topic)
    consumer = Consumer(
        {
            "bootstrap.servers": kafka.bootstrap,
            "group.id": topic,
            "client.id": topic,
            "fetch.wait.max.ms": 30_000,
        }
    )
    consumer.assign([TopicPartition(topic, 0, 0)])
    [waiting] = kafka.wait_parked("Fetch", topic=topic, client=topic, timeout=WITHIN_S)
    producer.commit_transaction(WITHIN_S)
    assert polled(consumer) == b"open"

    assert waiting["waited_for"]["transaction"]["transactional_id"] == topic
    ended = [
        each["completed_by"]
        for each in kafka.requests("Fetch", topic=topic, client=topic)
        if each["completed_by"]["cause"] == "transaction"
    ]
    assert ended[-1]["transaction"]["transactional_id"] == topic
    assert ended[-1]["transaction"]["outcome"] == "commit"
    assert ended[-1]["request"]["api"] == "WriteTxnMarkers"
    consumer.close()
