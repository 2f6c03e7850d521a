"""The recording proxy between real clients and real brokers."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]  # no types there
import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from kafka import KafkaConsumer, KafkaProducer
from kafka import TopicPartition as PythonTopicPartition

from antechamber import Cluster
from integration.kafka.real_kafka import RealKafka
from integration.machine.deadlines import ENDS_WITHIN_S, eventually
from integration.processes.antechamber import Antechamber
from integration.processes.server_process import ServerProcess
from integration.wire.batches import batch
from integration.wire.connection import Connection
from integration.wire.requests import fetch, produce
from integration.wire.topics import make_topic

MESSAGES = 200
TOPIC = "scripted"


@pytest.fixture(
    params=[
        pytest.param(Antechamber, id="antechamber"),
        pytest.param(RealKafka, id="kafka", marks=pytest.mark.jvm),
    ]
)
def upstream(request: pytest.FixtureRequest) -> Iterator[Any]:
    """A broker of either kind."""
    with request.param() as running:
        yield running


@pytest.fixture
def recording(upstream: Any, tmp_path: Path) -> Iterator[ServerProcess]:
    """The proxy before that broker."""
    with proxy_before(upstream.bootstrap, tmp_path) as process:
        yield process


@contextmanager
def proxy_before(upstream: str, folder: Path) -> Iterator[ServerProcess]:
    """Start a proxy; its records are written to a file of that name in *folder*."""
    words = ["record", "--upstream", upstream, "--records", str(folder / "records")]
    process = ServerProcess([sys.executable, "-m", "antechamber", *words], folder / "output")
    try:
        eventually(lambda: "bootstrap=" in process.stdout(), "the proxy's first line")
        yield process
    finally:
        process.stop()


def wait_until_unused(proxy: ServerProcess) -> None:
    """Wait until the proxy has closed all connections, so that no request is in progress."""
    process = psutil.Process(proxy.pid)

    def is_unused() -> bool:
        sockets = process.net_connections("tcp")
        return all(each.status == psutil.CONN_LISTEN for each in sockets)

    eventually(is_unused, "the proxy closed all connections")


def test_clients_of_the_proxy_are_recorded(recording: ServerProcess, tmp_path: Path) -> None:
    """All records are consumed through the proxy, and the phases of every wait record add up."""
    bootstrap = re.findall(r"bootstrap=(\S+)", recording.stdout())[0]
    admin = AdminClient({"bootstrap.servers": bootstrap})
    admin.create_topics([NewTopic("orders", 1, 1)])["orders"].result(60)
    producer = Producer({"bootstrap.servers": bootstrap, "client.id": "billing"})
    for number in range(MESSAGES):
        producer.produce("orders", b"%d" % number, partition=0)
        if number % 20 == 0:
            producer.flush(60)
    assert producer.flush(60) == 0
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "g", "client.id": "shipping"})
    consumer.assign([TopicPartition("orders", 0, 0)])
    values: list[bytes | None] = []

    def all_came() -> bool:
        values.extend(message.value() for message in consumer.consume(50, timeout=0.2))
        return len(values) >= MESSAGES

    eventually(all_came, "all messages")
    consumer.close()
    assert values == [b"%d" % number for number in range(MESSAGES)]
    del producer, admin  # which closes their connections
    wait_until_unused(recording)

    assert recording.stop() == 0
    records = [json.loads(line) for line in (tmp_path / "records").read_text().splitlines()]
    for record in records:
        phases = ("queued_us", "local_us", "parked_us", "send_us")
        assert sum(record[phase] for phase in phases) == record["total_us"]
        assert min(record[phase] for phase in phases) >= 0
        # A client may disconnect while its last request waits; only Kafka knows the other causes.
        assert record["completed_by"]["cause"] in ("unknown", "disconnect")
    counted: Counter[str] = Counter()
    for record in records:
        for partition in record["partitions"]:
            assert partition["topic"] == "orders"
            counted[record["api"]] += partition["records"]
    assert counted == {"Produce": MESSAGES, "Fetch": MESSAGES}
    assert {"ApiVersions", "Metadata", "CreateTopics"} <= {record["api"] for record in records}
    assert {record["client_id"] for record in records} >= {"billing", "shipping"}


def test_every_node_has_a_port_of_the_proxy(
    cluster: Callable[..., Cluster], tmp_path: Path
) -> None:
    """Another client finds all nodes by these ports, too."""
    with (
        cluster(brokers=3, topics=["t:6:3"]) as kafka,
        proxy_before(kafka.bootstrap.split(",")[1], tmp_path) as recording,
    ):
        bootstrap = re.findall(r"bootstrap=(\S+)", recording.stdout())[0]
        producer = KafkaProducer(bootstrap_servers=bootstrap, acks="all", client_id="billing")
        for number in range(MESSAGES):
            producer.send("t", b"%d" % number, partition=number % 6)
        producer.flush(60)
        producer.close()
        consumer = KafkaConsumer(
            bootstrap_servers=bootstrap, consumer_timeout_ms=20_000, client_id="shipping"
        )
        consumer.assign([PythonTopicPartition("t", index) for index in range(6)])
        consumer.seek_to_beginning()
        values = {next(consumer).value for _ in range(MESSAGES)}
        consumer.close()

    assert values == {b"%d" % number for number in range(MESSAGES)}
    records = [json.loads(line) for line in (tmp_path / "records").read_text().splitlines()]
    for api, client in (("Produce", "billing"), ("Fetch", "shipping")):
        reported = [r for r in records if (r["api"], r["client_id"]) == (api, client)]
        assert {record["node"] for record in reported} == {1, 2, 3}
        assert sum(p["records"] for record in reported for p in record["partitions"]) >= MESSAGES


def conversation(bootstrap: str) -> None:
    """A producer and a consumer, one request at a time: data, a timeout, and errors."""
    with Connection(bootstrap) as client:
        make_topic(client, TOPIC)
        for number in range(10):
            values = [b"%d" % number] * (number + 1)
            client.request(produce(TOPIC, 0, batch(values), correlation_id=100 + number))
        for offset in (0, 10, 55):
            client.request(fetch(TOPIC, 0, offset, max_wait_ms=50, correlation_id=200 + offset))
        client.request(fetch(TOPIC, 0, 1_000, correlation_id=300))
        client.request(produce(TOPIC, 7, batch([b"nowhere"]), correlation_id=400))


def reported(path: Path) -> list[tuple[object, ...]]:
    """The fields of each Produce and Fetch that both a broker and a proxy know."""
    names = ("topic", "partition", "offset", "records", "bytes", "error")
    return [
        (
            *(record[name] for name in ("api", "version", "client_id", "correlation_id", "error")),
            *(tuple(each[name] for name in names) for each in record["partitions"]),
        )
        for record in map(json.loads, path.read_text().splitlines())
        if record["api"] in {"Produce", "Fetch"} and record["correlation_id"] >= 100
    ]


def test_records_of_the_proxy_equal_those_of_the_broker(
    upstream: Any, recording: ServerProcess, tmp_path: Path
) -> None:
    """The same requests through the proxy with either broker, and with our recording broker.

    The requests and the appended, delivered and rejected records are equal. Not compared are:
    times; purgatory, checks and cause, which a proxy cannot observe, so that no request is parked
    in its tables; and high watermark and log end, which a proxy knows only from Fetch.
    """
    conversation(re.findall(r"bootstrap=(\S+)", recording.stdout())[0])
    assert recording.stop() == 0
    own = tmp_path / "own"
    with Antechamber("--records", str(own)) as ours:
        conversation(ours.bootstrap)
        ours.process.stop()

    assert reported(tmp_path / "records") == reported(own)
    assert len(reported(own)) == 15


def test_a_full_stdout_ends_the_proxy_with_one_line(
    cluster: Callable[..., Cluster], tmp_path: Path
) -> None:
    """The proxy ends, because it cannot print that it is ready."""
    upstream = cluster().bootstrap
    words = ["record", "--upstream", upstream, "--records", str(tmp_path / "records")]
    command = [sys.executable, "-m", "antechamber", *words, "--port", "0"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            command,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=ENDS_WITHIN_S,
            check=False,
        )

    assert done.returncode == 1
    assert done.stderr == "antechamber record: cannot write to stdout: No space left on device\n"


def test_an_unreachable_upstream(tmp_path: Path) -> None:
    """The error is one line, and the exit code is 1."""
    words = ["record", "--upstream", "127.0.0.1:1", "--records", str(tmp_path / "records")]
    process = ServerProcess([sys.executable, "-m", "antechamber", *words], tmp_path / "output")

    assert process.wait(60) == 1
    problem = "cannot connect; start a Kafka there, or give another HOST:PORT"
    assert process.stderr() == f"antechamber record: --upstream 127.0.0.1:1: {problem}\n"


@pytest.mark.parametrize(
    ("response", "printed"),
    [
        (
            bytes.fromhex("15030300020246"),
            "it does not respond as Kafka; use a listener without TLS",
        ),
        (b"\0\0\0\6\0\0\0\0\0\x23", ""),
    ],
)
def test_the_kind_of_upstream_is_reported(response: bytes, printed: str, tmp_path: Path) -> None:
    """With TLS the proxy ends; with SASL it continues after a warning."""
    with socket.create_server(("127.0.0.1", 0)) as upstream:
        address = f"127.0.0.1:{upstream.getsockname()[1]}"
        words = ["record", "--upstream", address, "--records", str(tmp_path / "records")]
        process = ServerProcess([sys.executable, "-m", "antechamber", *words], tmp_path / "output")
        for reply in (response, b"")[: 1 if printed else 2]:
            connection, _ = upstream.accept()
            with connection:
                connection.recv(100)
                connection.sendall(reply)
        if printed:
            assert process.wait(60) == 1
            assert process.stderr() == f"antechamber record: --upstream {address}: {printed}\n"
            return
        eventually(lambda: "bootstrap=" in process.stdout(), "the proxy's first line")
        assert process.stop() == 0
        sasl = "requires SASL: the proxy forwards the clients' authentication"
        assert process.stderr() == f"antechamber record: {address} {sasl}\n"
