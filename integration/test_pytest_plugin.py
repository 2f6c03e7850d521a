"""The installed pytest plugin, with a real client."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from integration.machine.deadlines import ENDS_WITHIN_S

TESTS = """
import pytest
from kafka import KafkaConsumer, KafkaProducer


def test_what_is_produced_is_consumed(kafka_cluster):
    producer = KafkaProducer(bootstrap_servers=kafka_cluster.bootstrap)
    producer.send("greetings", b"hello").get(timeout=60)
    producer.close()
    consumer = KafkaConsumer(
        "greetings", bootstrap_servers=kafka_cluster.bootstrap, auto_offset_reset="earliest"
    )
    assert next(consumer).value == b"hello"
    consumer.close()


def test_a_cluster_is_shared(kafka_cluster):
    [topic] = kafka_cluster.cluster()["topics"]
    assert topic["name"] == "greetings"


@pytest.mark.antechamber(topics=["orders:2"])
def test_another_cluster(kafka_cluster):
    [topic] = kafka_cluster.cluster()["topics"]
    assert len(topic["partitions"]) == 2
"""


def test_the_fixtures_work_without_configuration(against: str, tmp_path: Path) -> None:
    """A user's tests pass with the fixtures and the marker."""
    (tmp_path / "test_orders.py").write_text(TESTS)
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--strict-markers", "-p", "no:cacheprovider"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=ENDS_WITHIN_S,
        check=False,
    )

    assert ran.returncode == 0, ran.stdout
    assert ran.stdout.splitlines()[-1].startswith("3 passed")
