"""Quotas that tools set, and their effect on clients."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer, ThrottleEvent

from integration.kafka.tools import KafkaTools
from integration.machine.deadlines import eventually
from integration.wire.connection import Connection
from integration.wire.topics import make_topic

with warnings.catch_warnings():
    # kafka-python 3.0 reads its schemas through importlib.resources.read_text
    warnings.simplefilter("ignore", DeprecationWarning)
    from kafka import KafkaAdminClient
    from kafka.protocol.admin.client_quotas import (
        AlterClientQuotasRequest,
        DescribeClientQuotasRequest,
    )

INVALID_REQUEST = 42

Send = Callable[[Any], Any]


@pytest.fixture
def send(bootstrap: str) -> Iterator[Send]:
    """Send a request with kafka-python's admin client, which has no method for quotas."""
    admin = KafkaAdminClient(bootstrap_servers=bootstrap)
    # kafka-python has no public way to send a request.
    yield lambda request: admin._manager.run(admin._manager.send, request)  # noqa: SLF001 - there is no public way
    admin.close()


def set_quota(send: Send, client_id: str, key: str, value: float | None) -> None:
    """Set a quota of a client, or remove it with None; Kafka applies it asynchronously."""
    entity = [("client-id", client_id)]
    op = (key, value or 0.0, value is None)
    response = send(AlterClientQuotasRequest(entries=[(entity, [op])], validate_only=False))
    assert [entry.error_code for entry in response.entries] == [0]
    eventually(lambda: described(send, client_id).get(key) == value, "the quota is known")


def described(send: Send, client_id: str) -> dict[str, float]:
    """Return the quotas of a client."""
    exactly = ("client-id", 0, client_id)
    response = send(DescribeClientQuotasRequest(components=[exactly], strict=True))
    assert response.error_code == 0
    return {each.key: each.value for entry in response.entries for each in entry.values}


def test_quotas_are_set_and_described(send: Send, topic: str) -> None:
    """The requests are kafka-python's."""
    set_quota(send, topic, "producer_byte_rate", 1000)
    set_quota(send, topic, "request_percentage", 12.5)
    before = described(send, topic)
    set_quota(send, topic, "producer_byte_rate", None)

    assert before == {"producer_byte_rate": 1000.0, "request_percentage": 12.5}
    assert described(send, topic) == {"request_percentage": 12.5}


def test_an_invalid_quota_is_rejected(send: Send, topic: str) -> None:
    """The response has Kafka's error code and message."""
    entry = ([("client-id", topic)], [("producer_byte_rate", -1.0, False)])

    (response,) = send(AlterClientQuotasRequest(entries=[entry], validate_only=False)).entries

    assert response.error_code == INVALID_REQUEST
    assert response.error_message == "Quota producer_byte_rate must be greater than 0"


def test_a_producer_is_throttled(send: Send, bootstrap: str, topic: str) -> None:
    """librdkafka learns the throttle time, waits, and loses no record."""
    with Connection(bootstrap) as connection:
        make_topic(connection, topic)
    events: list[ThrottleEvent] = []
    client = {"bootstrap.servers": bootstrap, "client.id": topic, "throttle_cb": events.append}
    set_quota(send, topic, "producer_byte_rate", 10_000)
    producer = Producer({**client, "linger.ms": 0})
    started = time.monotonic()
    for _ in range(5):
        producer.produce(topic, bytes(30_000))
        assert producer.flush(60) == 0
    producer.poll(0)
    took = time.monotonic() - started

    assert any(event.throttle_time > 1 for event in events)
    assert took > 1.5
    settings = {**client, "group.id": topic, "auto.offset.reset": "earliest"}
    consumer = Consumer(settings)
    consumer.subscribe([topic])
    got = consumer.consume(5, timeout=30)
    consumer.close()
    assert [len(message.value() or b"") for message in got] == [30_000] * 5


@pytest.mark.jvm
def test_kafkas_tool_sets_and_describes_quotas(
    tools: KafkaTools, bootstrap: str, topic: str
) -> None:
    """ConfigCommand sets quotas of clients, users, both and addresses."""

    def config(*arguments: str) -> str:
        return tools.run("ConfigCommand", "--bootstrap-server", bootstrap, *arguments)

    client = ("--entity-type", "clients", "--entity-name", topic)
    both = ("--entity-type", "users", "--entity-name", topic, "--entity-type", "clients")
    address = ("--entity-type", "ips", "--entity-name", "192.0.2.1")
    rates = "producer_byte_rate=1024,consumer_byte_rate=2048"
    altered = config("--alter", *client, "--add-config", rates)
    config("--alter", *both, "--entity-default", "--add-config", "request_percentage=50")
    config("--alter", *address, "--add-config", "connection_creation_rate=5")

    def reported(*entity: str, expected: str) -> None:
        eventually(lambda: expected in config("--describe", *entity), expected)

    assert f"Completed updating config for client {topic}." in altered
    name = f"client-id '{topic}'"
    reported(*client, expected=f"{name} are consumer_byte_rate=2048.0, producer_byte_rate=1024.0")
    reported(
        *both,
        "--entity-default",
        expected=f"user-principal '{topic}', the default client-id are request_percentage=50.0",
    )
    reported(*address, expected="ip '192.0.2.1' are connection_creation_rate=5.0")
    config("--alter", *client, "--delete-config", "consumer_byte_rate")
    reported(*client, expected=f"{name} are producer_byte_rate=1024.0")
