"""Clusters that are started for other processes, with fake clusters."""

from __future__ import annotations

import json
from collections.abc import Iterator
from multiprocessing import AuthenticationError
from pathlib import Path
from typing import Any

import pytest

from antechamber import cluster
from antechamber.admin_client import AdminError
from antechamber.broker_process import StartError
from antechamber.testing.cluster_server import ClusterServer, shared_ready
from antechamber.testing.shared_cluster import SharedCluster
from tests.admin_server import serving
from tests.facts import FakeFacts


class FakeCluster:
    """Has its options as its ready file, and keeps whether it was closed."""

    made: list[FakeCluster]
    admin = "http://127.0.0.1:1"

    def __init__(self, **options: Any) -> None:
        if options.get("brokers") == 0:
            raise StartError("brokers: 0 is not allowed")
        if "broker" in options:
            raise TypeError("got an unexpected keyword argument 'broker'")
        self.options = options
        self.is_running = True
        FakeCluster.made.append(self)

    @property
    def ready(self) -> dict[str, Any]:
        nodes = [{"id": 1, "host": "127.0.0.1", "port": 9092}]
        return {"admin": self.admin, "options": self.options, "nodes": nodes, "bootstrap": "b"}

    def close(self) -> None:
        self.is_running = False


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ClusterServer]:
    """A server that starts fake clusters."""
    FakeCluster.made = []
    monkeypatch.setattr(cluster, "Cluster", FakeCluster)
    with ClusterServer() as server:
        yield server


def test_equal_options_are_one_cluster(server: ClusterServer) -> None:
    """Paths are sent as text."""
    options = {"brokers": 3, "properties": Path("server.properties")}
    ready = [shared_ready(server.address, options) for _ in range(2)]

    assert ready[0] == ready[1]
    assert ready[0]["options"] == {"brokers": 3, "properties": "server.properties"}
    assert len(FakeCluster.made) == 1


def test_other_options_are_another_cluster(server: ClusterServer) -> None:
    """As in one process."""
    for brokers in (1, 3):
        shared_ready(server.address, {"brokers": brokers})

    assert [each.options["brokers"] for each in FakeCluster.made] == [1, 3]


def test_a_cluster_that_has_ended_is_replaced(server: ClusterServer) -> None:
    """The crash of a broker in one test does not fail the tests of all processes."""
    shared_ready(server.address, {})
    FakeCluster.made[0].is_running = False
    shared_ready(server.address, {})

    assert len(FakeCluster.made) == 2


def test_a_failed_start_is_an_error_of_the_worker(server: ClusterServer) -> None:
    """The message is that of the broker; the server goes on."""
    with pytest.raises(StartError, match="brokers: 0 is not allowed"):
        shared_ready(server.address, {"brokers": 0})

    assert shared_ready(server.address, {})["options"] == {}


def test_an_unknown_option_is_an_error_of_the_worker(server: ClusterServer) -> None:
    """As of `Cluster` in the same process."""
    with pytest.raises(StartError, match="unexpected keyword argument 'broker'"):
        shared_ready(server.address, {"broker": 3})


def test_another_program_is_refused(server: ClusterServer) -> None:
    """It does not know the key; the server goes on."""
    host, port, key = server.address
    with pytest.raises(AuthenticationError):
        shared_ready((host, port, key[::-1]), {})

    assert shared_ready(server.address, {})["options"] == {}


def test_clusters_end_with_the_server(server: ClusterServer) -> None:
    """Later requests fail."""
    shared_ready(server.address, {})
    server.close()

    assert not FakeCluster.made[0].is_running
    with pytest.raises(ConnectionRefusedError):
        shared_ready(server.address, {})


def test_the_address_can_be_sent_to_a_worker(server: ClusterServer) -> None:
    """It has strings and numbers only."""
    assert json.loads(json.dumps(server.address)) == [*server.address]


def test_a_shared_cluster_is_a_handle(
    server: ClusterServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has the addresses of the ready file, and the state of the running broker."""
    with serving(FakeFacts()) as url:
        monkeypatch.setattr(FakeCluster, "admin", url)
        shared = SharedCluster(server.address, {})

        assert shared.bootstrap == "b"
        assert [node.port for node in shared.nodes] == [9092]
        assert shared.cluster()["cluster_id"] == "fake"
        assert shared.is_running
    assert not shared.is_running


def test_a_shared_cluster_refuses_what_would_affect_other_tests(
    server: ClusterServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Faults of nodes and adjustments of the clock; the error names the remedy."""
    facts = FakeFacts()
    with serving(facts) as url:
        monkeypatch.setattr(FakeCluster, "admin", url)
        shared = SharedCluster(server.address, {})
        with pytest.raises(AdminError, match=r"a cluster of its own with @pytest.mark.antechamber"):
            shared.pause(3)
        with pytest.raises(AdminError, match="is shared with tests of other processes"):
            shared.clock.freeze()

    assert facts.states[3] == "running"
