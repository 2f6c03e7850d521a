"""Clients of Python libraries connect with TLS, with the settings that the handle returns."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest
from aiokafka import AIOKafkaProducer
from confluent_kafka import Consumer, KafkaException, Producer
from confluent_kafka.admin import AdminClient
from kafka import KafkaProducer

from antechamber import Cluster
from integration.machine.deadlines import ENDS_WITHIN_S


@pytest.fixture(scope="module")
def kafka() -> Iterator[Cluster]:
    """Two nodes that connect to each other with TLS, and request certificates of clients."""
    config = {"ssl.client.auth": "requested"}
    with Cluster(brokers=2, tls=True, topics=["t:1:2"], config=config) as cluster:
        yield cluster


@pytest.mark.parametrize("certificate", [False, True])
def test_confluent_kafka(kafka: Cluster, certificate: bool) -> None:
    """A record that was produced with ``acks=all`` is consumed."""
    settings = kafka.client_settings("confluent-kafka", certificate=certificate)
    producer = Producer(settings)
    producer.produce("t", b"x" * 900_000)
    assert producer.flush(60) == 0

    consumer = Consumer(settings | {"group.id": "g", "auto.offset.reset": "earliest"})
    consumer.subscribe(["t"])
    message = consumer.poll(20)
    consumer.close()

    assert message is not None
    assert message.error() is None


@pytest.mark.parametrize("certificate", [False, True])
def test_kafka_python(kafka: Cluster, certificate: bool) -> None:
    """A record is acknowledged."""
    producer = KafkaProducer(**kafka.client_settings("kafka-python", certificate=certificate))

    assert producer.send("t", b"x").get(60).topic == "t"

    producer.close()


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.parametrize("certificate", [False, True])
async def test_aiokafka(kafka: Cluster, certificate: bool) -> None:
    """A record is acknowledged."""
    settings = kafka.client_settings("aiokafka", certificate=certificate)
    async with AIOKafkaProducer(**settings) as producer:
        assert (await producer.send_and_wait("t", b"x")).topic == "t"


@pytest.mark.parametrize("version", ["-tls1_2", "-tls1_3"])
def test_openssl(kafka: Cluster, version: str) -> None:
    """The certificate of the broker is valid for its address."""
    command = ["openssl", "s_client", "-brief", "-connect", kafka.bootstrap.split(",")[0], version]
    options = ["-CAfile", str(kafka.tls_files["ca"]), "-verify_ip", "127.0.0.1"]

    done = subprocess.run(
        [*command, *options],
        input="",
        capture_output=True,
        text=True,
        timeout=ENDS_WITHIN_S,
        check=False,
    )

    assert "Verification: OK" in done.stdout + done.stderr


def test_a_client_without_tls_is_disconnected(kafka: Cluster) -> None:
    """It gets no response."""
    client = AdminClient({"bootstrap.servers": kafka.bootstrap, "log_level": 0})

    with pytest.raises(KafkaException):
        client.list_topics(timeout=2)
