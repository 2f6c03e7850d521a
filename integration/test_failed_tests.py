"""The reports of failed tests, with real clients and real brokers."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from integration.machine.deadlines import ENDS_WITHIN_S
from tests.antechamber.trace.trace_format import check_trace

TESTS = """
import pytest
from kafka import KafkaProducer


@pytest.mark.antechamber(brokers=3, topics=["orders:1:3"])
def test_an_order_is_stored(kafka_cluster):
    producer = KafkaProducer(
        bootstrap_servers=kafka_cluster.bootstrap, acks="all", client_id="billing"
    )
    try:
        producer.send("orders", b"one").get(timeout=30)
        kafka_cluster.pause(3)
        producer.send("orders", b"two")
        kafka_cluster.wait_parked("Produce", timeout=30)
        assert False
    finally:
        producer.close(timeout=0)
"""


def test_the_report_explains_why_a_client_waits(against: str, tmp_path: Path) -> None:
    """It has the state of the cluster, the produce that waits, the one before, and a trace."""
    (tmp_path / "test_orders.py").write_text(TESTS)
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--antechamber-traces=traces"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=ENDS_WITHIN_S,
        check=False,
    )

    words = " ".join(ran.stdout.split())
    assert "3 nodes: 1 and 2 are running, 3 is paused" in words
    assert "in the Produce purgatory for node 3 (paused): 1 record behind" in words
    assert "which advanced the high watermark of orders-0 to 1." in words
    [path] = (tmp_path / "traces").iterdir()
    assert f"Trace, for ui.perfetto.dev: {path}" in ran.stdout
    events = check_trace(json.loads(path.read_text()))
    tracks = {event["args"]["name"] for event in events if event["name"] == "thread_name"}
    assert any(name.endswith(": billing") for name in tracks)
    assert {"Produce purgatory", "Fetch purgatory"} <= tracks
    assert any(event["ph"] == "s" for event in events), "a fetch has completed the first produce"


def test_a_failed_start_is_one_line(tmp_path: Path) -> None:
    """The report has the broker's message, and no code of this package."""
    (tmp_path / "test_start.py").write_text(
        "import antechamber\ndef test():\n    antechamber.Cluster(config={'no.such.key': 1})\n"
    )
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=ENDS_WITHIN_S,
        check=False,
    )

    assert "E       antechamber.StartError: antechamber serve: -c: unknown key 'no.s" in ran.stdout
    assert "broker_process.py" not in ran.stdout
