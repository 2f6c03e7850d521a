"""Code as users write it: a cluster, the pytest fixtures and a container, fully typed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from antechamber import AdminError, Cluster, NoBroker, Node, StartError
from antechamber.container import BrokerContainer


@pytest.fixture(scope="session")
def antechamber_options() -> dict[str, Any]:
    """Arguments for every cluster of the session."""
    return {"brokers": 3, "config": {"min.insync.replicas": 2}}


@pytest.fixture
def bootstrap(shared_kafka_cluster: Cluster) -> str:
    """The bootstrap servers of the session's cluster."""
    return shared_kafka_cluster.bootstrap


@pytest.mark.antechamber(brokers=3, topics={"orders": 3}, fresh=True)
def test_a_slow_follower_delays_a_produce(kafka_cluster: Cluster, bootstrap: str) -> None:
    """The faults and the waits of a cluster."""
    kafka_cluster.pause(3)
    parked: list[dict[str, Any]] = kafka_cluster.wait_parked("Produce", topic="orders")
    kafka_cluster.resume(3)
    kafka_cluster.wait_high_watermark("orders", 0, timeout=10)
    kafka_cluster.wait_in_sync("orders", count=3)
    kafka_cluster.wait_group_stable("readers", members=2)
    assert parked
    assert kafka_cluster.bootstrap != bootstrap


def topics_of_a_cluster(data_dir: Path) -> list[str]:
    """The arguments, properties and errors of a cluster."""
    try:
        with Cluster(
            brokers=1,
            config={"auto.create.topics.enable": False, "log.retention.ms": 1000},
            topics=["orders:3:1"],
            data_dir=data_dir,
            record=True,
            start_timeout=20.0,
        ) as cluster:
            node: Node = cluster.nodes[0]
            address: tuple[str, int] = (node.host, node.port)
            print(address, cluster.admin, cluster.pid + node.id, cluster.data_dir.name)
            print(cluster.requests(api="Fetch", client="reader"), cluster.parked())
            return [topic["name"] for topic in cluster.cluster()["topics"]]
    except AdminError as error:
        print(error.status + 1)
    except (NoBroker, StartError) as error:
        print(str(error))
    return []


def bootstrap_of_a_container() -> str:
    """A broker in a container of testcontainers."""
    with BrokerContainer(brokers=3, topics={"orders": 3}, config={"num.partitions": "2"}) as broker:
        servers: str = broker.bootstrap
        return servers
