"""`Cluster` with a real broker: its facts, its waits, and its end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil  # type: ignore[import-untyped]  # no types there
import pytest
from confluent_kafka import Consumer

from antechamber import AdminError, Cluster, NoBroker, StartError
from integration.machine.deadlines import eventually
from integration.wire.batches import batch, values
from integration.wire.connection import Connection
from integration.wire.requests import fetch, produce, read_fetch, read_produce

Start = Callable[..., Cluster]


def test_a_cluster_is_ready_with_its_topics(cluster: Start) -> None:
    """Clients connect to its address; the facts are those of the admin interface."""
    kafka = cluster(topics=["orders:2"], config={"num.partitions": 5})

    with Connection(kafka.bootstrap) as connection:
        assert read_produce(connection.request(produce("orders", 1, batch([b"a"])))).error == 0
    [node] = kafka.nodes
    assert kafka.bootstrap == f"{node.host}:{node.port}"
    [orders] = kafka.cluster()["topics"]
    assert [each["high_watermark"] for each in orders["partitions"]] == [0, 1]
    kafka.wait_high_watermark("orders")
    kafka.wait_in_sync()


def test_waiting_for_a_parked_fetch(cluster: Start) -> None:
    """The wait ends when the fetch is parked; the result has its condition and timeout."""
    kafka = cluster(topics=["orders"])
    with Connection(kafka.bootstrap) as connection, ThreadPoolExecutor(1) as others:
        waited = others.submit(kafka.wait_parked, "Fetch", "orders", timeout=60)
        connection.send(fetch("orders", 0, 0, max_wait_ms=600_000))
        [request] = waited.result()

        assert (request["api"], request["purgatory"], request["node"]) == ("Fetch", "Fetch", 1)
        assert 0 < request["remaining_ms"] <= request["timeout_ms"] == 600_000
        assert [each["partition"] for each in request["partitions"]] == [0]
        assert [each["correlation_id"] for each in kafka.parked()] == [request["correlation_id"]]
        with Connection(kafka.bootstrap) as producer:
            producer.request(produce("orders", 0, batch([b"a"])))
        assert list(values(read_fetch(connection.receive()).records)) == [(0, b"a")]
        assert kafka.parked() == []


def test_a_wait_that_times_out(cluster: Start) -> None:
    """The error names the present waits, and comes after the timeout."""
    kafka = cluster(topics=["orders"])
    with Connection(kafka.bootstrap) as connection:
        connection.send(fetch("orders", 0, 0, max_wait_ms=600_000))
        kafka.wait_parked("Fetch")
        started = time.monotonic()
        with pytest.raises(TimeoutError, match="0 of 1 parked Produce on orders; there is: Fetch"):
            kafka.wait_parked("Produce", topic="orders", timeout=0.3)
        assert time.monotonic() - started >= 0.3


def test_waiting_for_a_stable_group(cluster: Start) -> None:
    """The wait ends after the rebalance."""
    kafka = cluster(topics=["orders:2"])
    settings = {"bootstrap.servers": kafka.bootstrap, "group.id": "readers"}
    with ThreadPoolExecutor(1) as others:
        waited = others.submit(kafka.wait_group_stable, "readers", timeout=60)
        consumer = Consumer(settings)
        consumer.subscribe(["orders"])
        while not waited.done():
            consumer.poll(0.05)
        waited.result()
        consumer.close()


def test_an_order_to_an_unknown_node(cluster: Start) -> None:
    """The exception has the broker's message."""
    with pytest.raises(AdminError, match="node 7"):
        cluster().pause(7)


def test_a_failed_start(cluster: Start, tmp_path: Path) -> None:
    """The error has the broker's message: an unknown key, a directory in use."""
    with pytest.raises(StartError, match=r"no\.such\.key"):
        cluster(config={"no.such.key": 1})
    cluster(data_dir=tmp_path)
    with pytest.raises(StartError, match=str(tmp_path)):
        cluster(data_dir=tmp_path)


def test_a_data_directory_keeps_the_records(cluster: Start, tmp_path: Path) -> None:
    """Without a data directory, no files remain."""
    first = cluster(data_dir=tmp_path, topics=["orders"])
    with Connection(first.bootstrap) as connection:
        connection.request(produce("orders", 0, batch([b"kept"])))
    first.close()
    with Connection(cluster(data_dir=tmp_path).bootstrap) as connection:
        records = read_fetch(connection.request(fetch("orders", 0, 0))).records
    assert list(values(records)) == [(0, b"kept")]
    with cluster(topics=["orders"]) as without:
        assert without.data_dir.is_dir()
    assert not without.data_dir.exists()


def test_the_error_after_the_broker_was_killed(cluster: Start) -> None:
    """The error has the exit code."""
    kafka = cluster()
    os.kill(kafka.pid, signal.SIGKILL)

    with pytest.raises(NoBroker, match="the broker has ended with exit code -9"):
        kafka.cluster()
    assert not kafka.is_running


OWNER = """
import os, sys, antechamber
kafka = antechamber.Cluster()
print(kafka.pid, kafka.data_dir, flush=True)
if sys.argv[1] == "is killed":
    sys.stdin.read()
if sys.argv[1] == "fails":
    raise SystemExit("without a close")
if sys.argv[1] == "crashes":
    os._exit(1)
"""


@pytest.mark.parametrize("owner", ["is killed", "fails", "crashes"])
def test_a_broker_never_outlives_its_parent(owner: str, against: str) -> None:
    """The parent is killed, ends without a close, or exits: the broker stops in order."""
    script = [sys.executable, "-W", "ignore", "-c", OWNER, owner]
    process = subprocess.Popen(
        script, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process.stdin, process.stdout:
        pid, data_dir = process.stdout.readline().decode().split()
        if owner == "is killed":
            assert not _is_gone(int(pid))
            process.kill()
    process.wait(60)
    eventually(lambda: _is_gone(int(pid)), "the end of the broker")
    assert not Path(data_dir).exists()


def _is_gone(pid: int) -> bool:
    """Whether a process has ended, even if its parent has not reaped it."""
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True
