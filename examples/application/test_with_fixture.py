"""The application on the broker of the fixture `kafka_cluster`, which also causes faults."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from customer import order, parcels
from shipping import shipments

from antechamber import Cluster

TOPICS = ["orders:1:3", "shipments:1:3"]


@pytest.mark.antechamber(brokers=3, topics=TOPICS, fresh=True)
def test_an_order_is_shipped(kafka_cluster: Cluster) -> None:
    """Three items fit into one parcel."""
    order(kafka_cluster.bootstrap, "a", items=4)

    with closing(shipments(kafka_cluster.bootstrap)) as shipped:
        assert next(shipped) == "a"
    assert parcels(kafka_cluster.bootstrap, "a") == 2


@pytest.mark.antechamber(brokers=3, topics=TOPICS, fresh=True)
def test_an_order_waits_for_all_replicas(kafka_cluster: Cluster) -> None:
    """A slow node delays an order, and does not lose it."""
    kafka_cluster.pause(3)

    with ThreadPoolExecutor(1) as threads:
        ordered = threads.submit(order, kafka_cluster.bootstrap, "b", items=1)
        [waiting] = kafka_cluster.wait_parked("Produce", topic="orders", timeout=60)
        assert 3 in waiting["waited_for"]["behind"]
        kafka_cluster.resume(3)
        ordered.result(timeout=60)

    with closing(shipments(kafka_cluster.bootstrap)) as shipped:
        assert next(shipped) == "b"
