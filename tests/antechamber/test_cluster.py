"""`Cluster`, with an admin interface in memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import antechamber
from antechamber import cluster
from antechamber.broker_process import BrokerProcess
from antechamber.cluster import Cluster
from antechamber.handle import Node
from tests.admin_server import serving
from tests.client_facts import (
    committed_offset,
    group_member,
    in_flight_batch,
    known_group,
    open_connection,
    share_partition,
)
from tests.facts import FakeFacts, parked_fetch, parked_produce


class Process:
    """Replaces a broker's process, and keeps its arguments."""

    ready: dict[str, Any]
    arguments: list[str]
    complaint = ""
    code: int | None = None
    stopped = 0
    pid = 4711
    latest: Process

    def __init__(self, arguments: list[str]) -> None:
        Process.arguments = arguments
        Process.latest = self

    def wait_until_ready(self, timeout_s: float | None) -> None:
        pass

    raise_if_ended = BrokerProcess.raise_if_ended

    def exit_code(self, within_s: float = 0) -> int | None:
        return self.code

    def stderr(self) -> str:
        return self.complaint

    def stop(self) -> int:
        self.stopped += 1
        return 0 if self.code is None else self.code


@pytest.fixture
def facts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[FakeFacts]:
    """The facts that the admin interface of a cluster returns."""
    facts = FakeFacts()
    with serving(facts) as url:
        Process.ready = {
            "bootstrap": "127.0.0.1:1,127.0.0.1:2",
            "admin": url,
            "pid": Process.pid,
            "data_dir": str(tmp_path / "data"),
            "nodes": [{"id": each, "host": "127.0.0.1", "port": each} for each in (1, 2)],
        }
        monkeypatch.setattr(cluster, "BrokerProcess", Process)
        yield facts


def test_a_representation_has_the_address_and_the_state(facts: FakeFacts) -> None:
    """It makes no request."""
    kafka = Cluster(2)

    assert repr(kafka) == "<Cluster: 127.0.0.1:1,127.0.0.1:2, 2 brokers, open>"
    Process.latest.code = 0
    assert repr(kafka) == "<Cluster: 127.0.0.1:1,127.0.0.1:2, 2 brokers, closed>"


def test_a_cluster_that_has_not_started_has_a_representation() -> None:
    """It starts with ``async with``."""
    assert repr(antechamber.AsyncCluster()) == "<AsyncCluster: not started>"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            {"config": ["a=b"]},
            "config: ['a=b'] is not a mapping of Kafka's keys to values",
        ),
        ({"config": "a=b"}, "config: 'a=b' is not a mapping of Kafka's keys to values"),
        (
            {"config": {"broker.rack": None}},
            "config: broker.rack: None is no value; leave the key out for its default",
        ),
        ({"faults": [{"type": "error"}]}, "faults: [{'type': 'error'}] is neither text nor a path"),
        ({"data_dir": 7}, "data_dir: 7 is neither text nor a path"),
        ({"racks": "a,b"}, "racks: 'a,b' is not a list of texts"),
        ({"racks": [1]}, "racks: [1] is not a list of texts"),
        ({"request_log": True}, "request_log: True is neither text nor a path"),
    ],
)
def test_an_argument_of_another_type(wrong: dict[str, Any], message: str) -> None:
    """The error names the parameter and the value; no broker is started."""
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        Cluster(**wrong)


def test_a_rack_has_no_comma() -> None:
    """In the option of ``serve`` it separates racks."""
    with pytest.raises(ValueError, match=r"^racks: 'a,b' has a comma"):
        Cluster(racks=["a,b"])


def test_arguments_become_options_of_serve(facts: FakeFacts, tmp_path: Path) -> None:
    """Values are written in the syntax of Kafka's configuration."""
    Cluster(
        3,
        racks=["a", "b"],
        config={
            "min.insync.replicas": 2,
            "auto.create.topics.enable": False,
            "sasl.enabled.mechanisms": ["PLAIN", "SCRAM-SHA-256"],
        },
        topics=["orders:3:3", "audit"],
        faults=Path("faults.yaml"),
        data_dir=tmp_path,
        properties="server.properties",
        record=True,
        records=tmp_path / "records",
        records_topic="waits",
        request_log=tmp_path / "log",
        otlp="http://collector",
    )

    assert " ".join(Process.arguments) == (
        f"--brokers 3 --racks a,b --record --data-dir {tmp_path} --properties server.properties "
        f"--records {tmp_path}/records --records-topic waits "
        f"--request-log {tmp_path}/log --otlp http://collector "
        "--faults faults.yaml -c min.insync.replicas=2 -c auto.create.topics.enable=false "
        "-c sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256 "
        "--topic orders:3:3 --topic audit"
    )
    Cluster(topics="orders")
    assert Process.arguments == ["--brokers", "1", "--topic", "orders"]


def test_attributes_of_a_cluster(facts: FakeFacts, tmp_path: Path) -> None:
    """Addresses, nodes, process id, directory and facts."""
    kafka = Cluster()

    assert kafka.bootstrap == "127.0.0.1:1,127.0.0.1:2"
    assert kafka.admin.startswith("http://127.0.0.1:")
    assert kafka.nodes == (Node(1, "127.0.0.1", 1), Node(2, "127.0.0.1", 2))
    assert (kafka.pid, kafka.data_dir) == (4711, tmp_path / "data")
    assert kafka.cluster() == facts.state()


def test_nodes_are_paused_resumed_stopped_and_started(facts: FakeFacts) -> None:
    """A refused order raises AdminError with the broker's message."""
    kafka = Cluster()
    kafka.pause(3)
    assert facts.states[3] == "paused"
    kafka.resume(3)
    kafka.stop(3)
    assert facts.states[3] == "stopped"
    with pytest.raises(antechamber.AdminError, match="node 3 is stopped, not running"):
        kafka.pause(3)
    kafka.start(3)
    assert facts.states[3] == "running"


def test_waiting_requests_are_returned_and_awaited(facts: FakeFacts) -> None:
    """Requests match by API, topic and client; a timeout names the present state."""
    kafka = Cluster()
    facts.parked = [parked_produce(), parked_fetch()]

    assert kafka.parked() == facts.parked
    assert kafka.parked("Fetch", "orders", "consumer-1") == facts.parked[1:]
    assert kafka.wait_parked("Produce", "orders") == facts.parked[:1]
    with pytest.raises(TimeoutError, match="0 of 2 parked Produce on audit from client c"):
        kafka.wait_parked("Produce", topic="audit", count=2, timeout=0.01, client="c")
    with pytest.raises(antechamber.AdminError, match=r"; start the cluster with record=True$"):
        kafka.requests()
    with pytest.raises(antechamber.AdminError, match=r"^since: there .*; mark\(\) makes one$"):
        kafka.wait_requests(since="mark-77")


def test_waiting_for_replication_and_groups(facts: FakeFacts) -> None:
    """High watermarks, in-sync replicas and stable groups can be awaited."""
    kafka = Cluster()
    facts.known_groups = [known_group("g", "Stable", group_member("a"))]

    kafka.wait_high_watermark()
    kafka.wait_in_sync("orders", partition=1, count=3)
    kafka.wait_group_stable("g")
    with pytest.raises(TimeoutError, match="there is no partition orders-7"):
        kafka.wait_high_watermark("orders", 7, timeout=0)
    with pytest.raises(TimeoutError, match=r"orders-0 has \[1, 2, 3\] of \[1, 2, 3\] in sync"):
        kafka.wait_in_sync("orders", 0, count=2, timeout=0)
    with pytest.raises(TimeoutError, match="group g is Stable with 1 of 2 members"):
        kafka.wait_group_stable("g", members=2, timeout=0)


def test_waiting_for_the_records_of_share_groups(facts: FakeFacts) -> None:
    """The share partitions are those that the group has when the condition holds."""
    kafka = Cluster()
    share = share_partition(0, in_flight_batch(0, 2, "acquired", "a", 900), acquired=3, lag=4)
    facts.known_share_partitions = [share]

    assert kafka.share_partitions("workers", "orders") == [share]
    assert kafka.share_partitions("other") == []
    assert kafka.wait_acquired("workers", 3, "orders", 0) == [{**share, "batches": []}]
    assert kafka.wait_share_lag("workers", 4) == [{**share, "batches": []}]
    with pytest.raises(TimeoutError, match="3 of 4 records are acquired"):
        kafka.wait_acquired("workers", 4, timeout=0)
    with pytest.raises(TimeoutError, match="lag of workers in orders-0 is 4"):
        kafka.wait_share_lag("workers", topic="orders", partition=0, timeout=0)


def test_waiting_for_offsets_and_assignments(facts: FakeFacts) -> None:
    """The values are those that the group has when the condition holds."""
    kafka = Cluster()
    group = known_group("g", "Stable", group_member("a", orders=[0, 1]))
    group["offsets"] = [committed_offset(0, 3, 3), committed_offset(1, 2, 3)]
    facts.known_groups = [group]

    assert kafka.groups("g") == [group]
    assert kafka.wait_assigned("g", partitions=2, topic="orders") == group
    assert kafka.wait_committed("g", "orders", 0) == group["offsets"][:1]
    assert kafka.wait_committed("g", offset=2, lag=1) == group["offsets"]
    kafka.wait_stable_offset("orders", offset=3)
    with pytest.raises(TimeoutError, match="member a has 2 of 3 partitions"):
        kafka.wait_assigned("g", partitions=3, timeout=0)
    with pytest.raises(TimeoutError, match="lag of g in orders-1 is 1"):
        kafka.wait_committed("g", timeout=0)
    with pytest.raises(TimeoutError, match="needed offset 4"):
        kafka.wait_stable_offset("orders", 0, 4, timeout=0)


def test_waiting_for_clients_topics_and_requests(facts: FakeFacts) -> None:
    """Requests before a mark do not count."""
    kafka = Cluster()
    facts.open_connections = [open_connection("app")]
    for known in facts.known_topics.values():
        known["orders"] = [{"partition": index, "leader": 9, "serves": False} for index in (0, 1)]

    assert kafka.connections("app") == facts.open_connections
    kafka.wait_client("app")
    kafka.wait_client("other", connected=False)
    assert kafka.wait_topic("orders", partitions=2)["name"] == "orders"
    kafka.wait_topic_deleted("audit")
    mark = kafka.mark()
    with pytest.raises(TimeoutError, match=f"0 of 2 Fetch requests of client app since {mark}"):
        kafka.wait_requests("Fetch", 2, since=mark, client="app", timeout=0)
    facts.request_counts.tally("app")[1] += 2
    assert kafka.wait_requests("Fetch", 2, since=mark, client="app") == 2
    with pytest.raises(TimeoutError, match="client app is connected from"):
        kafka.wait_client("app", connected=False, timeout=0)


def test_the_cluster_ends_with_its_with_statement(facts: FakeFacts) -> None:
    """An exception of the block propagates."""
    kafka = Cluster()
    process = Process.latest
    with pytest.raises(ZeroDivisionError), kafka as same:
        1 / (same is not kafka)
    assert process.stopped == 1


def test_the_directory_of_a_killed_broker_is_removed(facts: FakeFacts) -> None:
    """A broker that stops in order removes its temporary directory itself."""
    kafka = Cluster()
    kafka.data_dir.mkdir()
    kafka.close()
    assert kafka.data_dir.exists()
    process = Process.latest
    process.code = -9
    kafka.close()
    assert not kafka.data_dir.exists()


def test_a_named_data_directory_is_kept(facts: FakeFacts, tmp_path: Path) -> None:
    """It is kept for every exit code of the broker."""
    kafka = Cluster(data_dir=tmp_path / "data")
    kafka.data_dir.mkdir()
    process = Process.latest
    process.code = -9
    kafka.close()
    assert kafka.data_dir.exists()


def test_the_error_after_the_broker_ended(facts: FakeFacts) -> None:
    """The error has the exit code and the last line of stderr."""
    with serving(FakeFacts()) as url:
        Process.ready["admin"] = url
        kafka = Cluster()
    process = Process.latest
    with pytest.raises(antechamber.NoBroker, match="no broker at http"):
        kafka.cluster()
    assert kafka.is_running
    process.code, process.complaint = 1, "Traceback\nOops: a bug"
    assert not kafka.is_running
    with pytest.raises(antechamber.NoBroker, match=r"^the broker has ended with exit code 1: Oops"):
        kafka.cluster()


def test_transactions_of_the_cluster(facts: FakeFacts) -> None:
    """Open ones, hanging ones, and the abort of one."""
    facts.open = [{"transactional_id": "billing"}]
    facts.hanging = [{"topic": "t", "partition": 0, "producer_id": 7}]
    with Cluster() as kafka:
        assert kafka.transactions() == facts.open
        assert kafka.hanging_transactions() == facts.hanging
        assert kafka.abort_transaction("t", 0, 7)["producer_id"] == 7
        assert kafka.hanging_transactions() == []
