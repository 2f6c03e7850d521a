"""The Java client, by Apache Kafka's performance tools; it has the newest protocol versions."""

from __future__ import annotations

import subprocess

import pytest

from integration.kafka.jars import kafka_jars
from integration.machine.deadlines import ENDS_WITHIN_S

pytestmark = pytest.mark.jvm

RECORDS = 5000


def _tool(name: str, *arguments: str) -> str:
    """Run one of Kafka's tools and return its output."""
    command = ["java", "-cp", f"{kafka_jars()}/*", f"org.apache.kafka.tools.{name}", *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=ENDS_WITHIN_S, check=True
    )
    return done.stdout


def test_the_java_consumer_gets_the_records_of_the_java_producer(
    bootstrap: str, topic: str
) -> None:
    """Idempotent produce with acks=all by topic id, then a group that uses fetch sessions."""
    produced = _tool(
        "ProducerPerformance",
        *("--topic", topic, "--num-records", str(RECORDS), "--record-size", "200"),
        *("--throughput", "-1"),
        *("--producer-props", f"bootstrap.servers={bootstrap}", "acks=all"),
    )
    assert f"{RECORDS} records sent" in produced

    consumed = _tool(
        "ConsumerPerformance",
        *("--bootstrap-server", bootstrap, "--topic", topic, "--timeout", "20000"),
        *("--num-records", str(RECORDS), "--hide-header"),
    )
    (row,) = [line for line in consumed.splitlines() if line.count(",") > 5]
    assert int(row.split(",")[4]) == RECORDS


def test_one_record_at_a_time_end_to_end(bootstrap: str, topic: str) -> None:
    """Produce, wait for the acknowledgement, poll: append, high watermark and fetch in sequence."""
    measured = _tool(
        "EndToEndLatency",
        *("--bootstrap-server", bootstrap, "--topic", topic, "--num-records", "200"),
        *("--producer-acks", "all", "--record-size", "100"),
    )

    assert "Avg latency" in measured
