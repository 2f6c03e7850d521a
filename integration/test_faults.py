"""Nodes paused, stopped and started by the command and by `Cluster`, and the waits they cause."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from confluent_kafka import Producer

from antechamber import AdminError, Cluster
from integration.machine.deadlines import ENDS_WITHIN_S, eventually
from integration.wire.batches import batch
from integration.wire.connection import Connection
from integration.wire.requests import produce, read_produce


@pytest.fixture(scope="module")
def kafka() -> Iterator[Cluster]:
    """Three nodes, and a topic with a replica on each."""
    with Cluster(3, topics=["orders:1:3"], config={"min.insync.replicas": 2}) as kafka:
        yield kafka


@pytest.fixture
def leader(kafka: Cluster) -> Iterator[Connection]:
    """A connection to the topic's leader; all replicas are in sync before and after the test."""
    kafka.wait_in_sync(timeout=60)
    node = kafka.nodes[_leader(kafka) - 1]
    with Connection(f"{node.host}:{node.port}") as connection:
        yield connection
    kafka.wait_in_sync(timeout=60)


def _leader(kafka: Cluster) -> int:
    [partition] = kafka.cluster()["topics"][0]["partitions"]
    return int(partition["leader"])


def _follower(kafka: Cluster) -> int:
    return next(node.id for node in kafka.nodes if node.id != _leader(kafka))


def _waits_for(kafka: Cluster, follower: int) -> dict[str, Any]:
    """Return the waiting produce when it waits only for this follower."""
    found: list[dict[str, Any]] = []

    def alone() -> bool:
        found[:] = kafka.wait_parked("Produce", topic="orders")
        return bool(found[0]["waited_for"]["behind"] == [follower])

    eventually(alone, f"node {follower} alone is behind")
    return found[0]


def antechamber(kafka: Cluster, *arguments: str) -> tuple[int, str, str]:
    """Run a command on the cluster; returns exit code, stdout and stderr."""
    command = [sys.executable, "-m", "antechamber", *arguments, "--admin", kafka.admin]
    ended = subprocess.run(
        command, capture_output=True, text=True, timeout=ENDS_WITHIN_S, check=False
    )
    return ended.returncode, ended.stdout, ended.stderr


def test_a_produce_waits_for_a_paused_follower(kafka: Cluster, leader: Connection) -> None:
    """It waits until the follower resumes; its facts name the needed offset and the replica."""
    follower = _follower(kafka)
    kafka.pause(follower)
    leader.send(produce("orders", 0, batch([b"a", b"b"])))
    request = _waits_for(kafka, follower)

    [partition] = request["partitions"]
    assert partition["needed_offset"] == partition["offset"] + 2 == partition["log_end_offset"]
    assert [each["node"] for each in partition["replicas"] if each["behind"]] == [follower]
    with pytest.raises(TimeoutError, match="orders-0 has high watermark"):
        kafka.wait_high_watermark("orders", timeout=0)
    kafka.resume(follower)
    assert read_produce(leader.receive()).error == 0
    kafka.wait_high_watermark("orders")
    assert kafka.parked() == []


def test_the_command_shows_the_replica_that_is_behind(kafka: Cluster, leader: Connection) -> None:
    """The output is a table or a JSON line."""
    follower = _follower(kafka)
    assert antechamber(kafka, "fault", "pause", str(follower)) == (
        0,
        f"node {follower} is paused\n",
        "",
    )
    leader.send(produce("orders", 0, batch([b"a"])))
    _waits_for(kafka, follower)
    code, table, _ = antechamber(kafka, "requests", "--parked")
    [behind] = [line for line in table.splitlines() if "behind, last caught up" in line]
    assert (code, behind.split()[:3]) == (0, ["node", str(follower), "(paused)"])
    code, lines, _ = antechamber(kafka, "requests", "--parked", "--json", "--api", "Produce")
    [line] = lines.splitlines()
    assert json.loads(line)["waited_for"]["behind"] == [follower]
    assert antechamber(kafka, "fault", "resume", str(follower))[0] == 0
    assert read_produce(leader.receive()).error == 0


def test_a_stopped_node_is_started_again(kafka: Cluster) -> None:
    """Its partitions get another leader; restarted, it catches up; a real client sees no error."""
    producer = Producer({"bootstrap.servers": kafka.bootstrap, "acks": "all"})
    failed: list[object] = []

    def produce_some() -> None:
        for number in range(100):
            producer.produce("orders", b"%d" % number, on_delivery=_failures_to(failed))
        assert producer.flush(60) == 0

    produce_some()
    leader = _leader(kafka)
    kafka.stop(leader)
    kafka.wait_in_sync("orders", count=2, timeout=60)
    assert _leader(kafka) != leader
    produce_some()
    kafka.start(leader)
    kafka.wait_in_sync("orders", timeout=60)
    kafka.wait_high_watermark("orders", timeout=60)
    assert failed == []


def _failures_to(failed: list[object]) -> Callable[[object, object], None]:
    def report(error: object, _message: object) -> None:
        if error is not None:
            failed.append(error)

    return report


@pytest.mark.parametrize(
    ("before", "order"),
    [(None, "resume"), (None, "start"), ("pause", "pause"), ("stop", "stop"), ("stop", "pause")],
)
def test_an_invalid_order_changes_nothing(
    kafka: Cluster, leader: Connection, before: str | None, order: str
) -> None:
    """The error is one line with the state of the node."""
    follower = _follower(kafka)
    undo = {"pause": kafka.resume, "stop": kafka.start}
    if before is not None:
        assert antechamber(kafka, "fault", before, str(follower))[0] == 0
    code, out, err = antechamber(kafka, "fault", order, str(follower))
    if before is not None:
        undo[before](follower)

    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.startswith(f"antechamber fault: node {follower} is ")
    assert read_produce(leader.request(produce("orders", 0, batch([b"a"])))).error == 0


def test_an_order_to_an_unknown_node(kafka: Cluster) -> None:
    """The error lists the existing nodes."""
    with pytest.raises(AdminError, match="there is no node 7, only 1, 2, 3"):
        kafka.stop(7)


def test_a_produce_does_not_wait_for_a_lagging_replica(cluster: Callable[..., Cluster]) -> None:
    """After replica.lag.time.max.ms the ISR shrinks, and the produce is completed."""
    settings = {"min.insync.replicas": 2, "replica.lag.time.max.ms": 500}
    kafka = cluster(3, topics=["orders:1:3"], config=settings)
    kafka.pause(_follower(kafka))
    node = kafka.nodes[_leader(kafka) - 1]
    with Connection(f"{node.host}:{node.port}") as connection:
        connection.send(produce("orders", 0, batch([b"a"])))
        kafka.wait_parked("Produce")
        kafka.wait_in_sync("orders", count=2, timeout=60)
        assert read_produce(connection.receive()).error == 0
