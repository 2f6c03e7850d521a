"""Clients with a rack read from the replica in it, as the wait records of the nodes show."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from aiokafka import AIOKafkaConsumer
from confluent_kafka import Consumer, Producer
from kafka import KafkaConsumer

from antechamber import Cluster
from broker.config.keys.replication import RACK_AWARE_SELECTOR
from integration.kafka.tools import KafkaTools

RACK = "west"  # of node 3
FOLLOWER = 3
WITHIN_S = 60


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """Three nodes in three racks, and a topic led by node 1 with one record."""
    with Cluster(
        3,
        racks=["north", "south", RACK],
        config={"replica.selector.class": RACK_AWARE_SELECTOR},
        topics=["orders:1:3"],
        record=True,
    ) as kafka:
        producer = Producer({"bootstrap.servers": kafka.bootstrap})
        producer.produce("orders", b"one")
        assert producer.flush(WITHIN_S) == 0
        yield kafka


def check_fetches(cluster: Cluster, client: str) -> None:
    """The leader directed the client to the follower, which returned the record."""
    fetches = cluster.requests(api="Fetch", client=client)
    [read] = [each for each in fetches if any(one["records"] for one in each["partitions"])]
    directed = [each for each in fetches if "preferred_read_replicas" in each]
    assert read["node"] == FOLLOWER
    assert directed[0]["preferred_read_replicas"] == [FOLLOWER]
    assert directed[0]["purgatory"] is None


def test_confluent_kafka(cluster: Cluster) -> None:
    """`client.rack` of librdkafka."""
    consumer = Consumer(
        {
            "bootstrap.servers": cluster.bootstrap,
            "group.id": "confluent",
            "auto.offset.reset": "earliest",
            "client.rack": RACK,
            "client.id": "confluent",
        }
    )
    consumer.subscribe(["orders"])
    message = consumer.poll(WITHIN_S)
    consumer.close()

    assert message is not None
    assert message.value() == b"one"
    check_fetches(cluster, "confluent")


def test_kafka_python(cluster: Cluster) -> None:
    """`client_rack` of kafka-python."""
    consumer = KafkaConsumer(
        "orders",
        bootstrap_servers=cluster.bootstrap,
        auto_offset_reset="earliest",
        consumer_timeout_ms=WITHIN_S * 1000,
        client_rack=RACK,
        client_id="kafka-python",
    )
    record = next(iter(consumer))
    consumer.close()

    assert record.value == b"one"
    check_fetches(cluster, "kafka-python")


def test_aiokafka(cluster: Cluster) -> None:
    """`client_rack` of aiokafka."""

    async def first_value() -> bytes | None:
        consumer = AIOKafkaConsumer(
            "orders",
            bootstrap_servers=cluster.bootstrap,
            auto_offset_reset="earliest",
            client_rack=RACK,
            client_id="aiokafka",
        )
        await consumer.start()
        try:
            record = await asyncio.wait_for(consumer.getone(), WITHIN_S)
        finally:
            await consumer.stop()
        value: bytes | None = record.value
        return value

    assert asyncio.run(first_value()) == b"one"
    check_fetches(cluster, "aiokafka")


@pytest.mark.jvm
def test_java(tools: KafkaTools, cluster: Cluster) -> None:
    """`client.rack` of Java's consumer."""
    printed = tools.run(
        *("ConsoleConsumer", "--bootstrap-server", cluster.bootstrap, "--topic", "orders"),
        *("--from-beginning", "--max-messages", "1"),
        *("--command-property", f"client.rack={RACK}", "--command-property", "client.id=java"),
    )

    assert printed == "one\n"
    check_fetches(cluster, "java")
