"""The recording proxy between real clients and real brokers."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from integration.antechamber_process import Antechamber
from integration.deadlines import eventually
from integration.processes import ServerProcess
from integration.real_kafka import RealKafka

MESSAGES = 200


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
    """The proxy before it."""
    words = ["record", "--upstream", upstream.bootstrap, "--records", str(tmp_path / "records")]
    process = ServerProcess([sys.executable, "-m", "antechamber", *words], tmp_path / "output")
    try:
        eventually(lambda: "bootstrap=" in process.stdout(), "the proxy's first line")
        yield process
    finally:
        process.stop()


def test_clients_work_through_it_and_are_recorded(recording: ServerProcess, tmp_path: Path) -> None:
    """All they produce is consumed, none of it beside the proxy, and every record adds up."""
    bootstrap = re.findall(r"bootstrap=(\S+)", recording.stdout())[0]
    admin = AdminClient({"bootstrap.servers": bootstrap})
    admin.create_topics([NewTopic("orders", 1, 1)])["orders"].result(20)
    producer = Producer({"bootstrap.servers": bootstrap, "client.id": "billing"})
    for number in range(MESSAGES):
        producer.produce("orders", b"%d" % number, partition=0)
        if number % 20 == 0:
            producer.flush(20)
    assert producer.flush(20) == 0
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "g", "client.id": "shipping"})
    consumer.assign([TopicPartition("orders", 0, 0)])
    values: list[bytes | None] = []

    def all_came() -> bool:
        values.extend(message.value() for message in consumer.consume(50, timeout=0.2))
        return len(values) >= MESSAGES

    eventually(all_came, "all messages", within=20)
    consumer.close()
    assert values == [b"%d" % number for number in range(MESSAGES)]

    assert recording.stop() == 0
    records = [json.loads(line) for line in (tmp_path / "records").read_text().splitlines()]
    for record in records:
        phases = ("queued_us", "local_us", "parked_us", "send_us")
        assert sum(record[phase] for phase in phases) == record["total_us"]
        assert min(record[phase] for phase in phases) >= 0
        assert record["completed_by"] == {"cause": "unknown"}
    counted: Counter[str] = Counter()
    for record in records:
        for partition in record["partitions"]:
            assert partition["topic"] == "orders"
            counted[record["api"]] += partition["records"]
    assert counted == {"Produce": MESSAGES, "Fetch": MESSAGES}
    assert {"ApiVersions", "Metadata", "CreateTopics"} <= {record["api"] for record in records}
    assert {record["client_id"] for record in records} >= {"billing", "shipping"}


def test_an_upstream_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    """And exit code 1."""
    words = ["record", "--upstream", "127.0.0.1:1", "--records", str(tmp_path / "records")]
    process = ServerProcess([sys.executable, "-m", "antechamber", *words], tmp_path / "output")

    assert process.wait(20) == 1
    assert process.stderr() == "antechamber record: --upstream 127.0.0.1:1: nobody answers there\n"
