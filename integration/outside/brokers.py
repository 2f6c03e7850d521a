"""The brokers of a suite: ours, or a real Kafka's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from antechamber import Cluster
from integration.kafka.real_kafka import RealKafka
from integration.kafka.source import start_kafka
from integration.outside.suite import Brokers, Suite

# Our brokers listen at ports this far from those that they advertise.
_DISTANCE = 100


@contextmanager
def our_brokers(suite: Suite) -> Iterator[Brokers]:
    """Start ours with the properties of a suite."""
    if suite.nodes == 0:
        yield _none(are_ours=True)
        return
    properties = dict(suite.properties)
    if suite.advertised is not None:
        first = suite.advertised + _DISTANCE
        properties["listeners"] = f"PLAINTEXT://127.0.0.1:{first}"
        properties["advertised.listeners"] = f"PLAINTEXT://127.0.0.1:{suite.advertised}"
    with Cluster(suite.nodes, racks=suite.racks, config=properties) as cluster:
        bootstrap = cluster.bootstrap
        if suite.advertised is not None:
            bootstrap = ",".join(f"127.0.0.1:{first + node}" for node in range(suite.nodes))
        yield Brokers(bootstrap, cluster.stop, cluster.start, are_ours=True)


@contextmanager
def kafka_brokers(suite: Suite) -> Iterator[Brokers]:
    """Start a real Kafka with the properties of a suite."""
    if suite.nodes == 0:
        yield _none(are_ours=False)
    elif suite.advertised is None:
        with start_kafka(suite.nodes, suite.properties, racks=suite.racks) as kafka:
            yield Brokers(kafka.bootstrap, kafka.stop, kafka.start, are_ours=False)
    else:
        with RealKafka(
            suite.nodes,
            suite.properties,
            heap="512M",
            quick=True,
            racks=suite.racks,
            advertised=suite.advertised,
        ) as proxied:
            yield Brokers(proxied.bootstrap, proxied.shut_down, proxied.start, are_ours=False)


def _none(*, are_ours: bool) -> Brokers:
    return Brokers("", _no_node, _no_node, are_ours)


def _no_node(node: int) -> None:
    raise AssertionError(f"the suite has no node {node}")
