"""A pytest plugin with a Kafka-protocol cluster as a fixture.

    def test_an_order_is_shipped(kafka_cluster):
        ship(kafka_cluster.bootstrap, ...)

    @pytest.mark.antechamber(brokers=3, config={"min.insync.replicas": 2})
    def test_a_slow_follower_delays_an_order(kafka_cluster):
        kafka_cluster.pause(3)
        ...

- kafka_cluster: an `antechamber.Cluster` with the options of the session and of the marker.
  It starts with the first test that uses it. Tests with equal options share a cluster; nodes that
  a test has paused or stopped, and a clock that it has adjusted, run again after the test.
- shared_kafka_cluster: the cluster with the options of the session, for wider fixture scopes.
- kafka_service: the address of that cluster, as fixtures of pytest-databases have those of others.
- antechamber_options: the arguments of `antechamber.Cluster`; override it in conftest.py. The
  marker's arguments override them. With ``admin``, they are those of `antechamber.RunningCluster`,
  and the fixtures are that cluster.

``fresh=True`` in the marker starts a cluster for this test alone. A run that uses no cluster
imports only this file of the package.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from antechamber.cluster import Cluster
    from antechamber.running_cluster import RunningCluster

    AnyCluster = Cluster | RunningCluster

Options = dict[str, Any]


class KafkaService(NamedTuple):
    """The address of the first node of `shared_kafka_cluster`."""

    host: str
    port: int

    @property
    def bootstrap_servers(self) -> str:
        """The address for clients: ``HOST:PORT``."""
        return f"{self.host}:{self.port}"


_BACK = {"paused": "resume", "stopped": "start"}
_IN_SYNC_TIMEOUT_S = 30


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line(
        "markers",
        "antechamber(*, fresh=False, brokers=1, config={}, topics=[], ...): "
        "the cluster of the fixture kafka_cluster; arguments are those of antechamber.Cluster",
    )


@pytest.fixture(scope="session")
def antechamber_options() -> Options:
    """Arguments of `antechamber.Cluster` for every cluster; override it in conftest.py."""
    return {}


@pytest.fixture(scope="session")
def _kafka_clusters() -> Iterator[Callable[[Options], AnyCluster]]:
    """Return a function that returns the session's cluster for some options, and starts it."""
    from antechamber.cluster import Cluster

    running: dict[str, Cluster] = {}
    with ExitStack() as stack:

        def cluster(options: Options) -> AnyCluster:
            if "admin" in options:
                return _running_cluster(options)
            key = repr(sorted(options.items()))
            if key not in running or not running[key].is_running:
                running[key] = stack.enter_context(Cluster(**options))
            return running[key]

        yield cluster


@pytest.fixture(scope="session")
def shared_kafka_cluster(
    _kafka_clusters: Callable[[Options], AnyCluster], antechamber_options: Options
) -> AnyCluster:
    """The cluster with the options of the session."""
    return _kafka_clusters(antechamber_options)


@pytest.fixture(scope="session")
def kafka_service(shared_kafka_cluster: Cluster) -> KafkaService:
    """The address of the cluster with the options of the session."""
    node = shared_kafka_cluster.nodes[0]
    return KafkaService(node.host, node.port)


@pytest.fixture
def kafka_cluster(
    request: pytest.FixtureRequest,
    _kafka_clusters: Callable[[Options], AnyCluster],
    antechamber_options: Options,
) -> Iterator[AnyCluster]:
    """A cluster with the options of the session and of ``@pytest.mark.antechamber``."""
    fresh, marked = _marker_options(request)
    options = {**antechamber_options, **marked}
    if "admin" in options and (fresh or marked):
        raise pytest.UsageError(
            f"@pytest.mark.antechamber has no effect on the cluster at {options['admin']}, "
            "which runs already; deselect its tests with -m 'not antechamber'"
        )
    if fresh:
        from antechamber.cluster import Cluster

        with Cluster(**options) as fresh_cluster:
            yield fresh_cluster
        return
    cluster = _kafka_clusters(options)
    yield cluster
    if cluster.is_running:
        _undo_faults(cluster)


def _running_cluster(options: Options) -> RunningCluster:
    from antechamber.running_cluster import RunningCluster

    return RunningCluster(**options)


def _undo_faults(cluster: AnyCluster) -> None:
    """Run the clock at its normal speed, and the nodes that a test has paused or stopped."""
    if cluster.clock.state()["speed"] != 1:
        cluster.clock.run()
    faulted = [node for node in cluster.cluster()["nodes"] if node["state"] in _BACK]
    for node in faulted:
        getattr(cluster, _BACK[node["state"]])(node["id"])
    if faulted:
        cluster.wait_in_sync(timeout=_IN_SYNC_TIMEOUT_S)


def _marker_options(request: pytest.FixtureRequest) -> tuple[bool, Options]:
    marker = request.node.get_closest_marker("antechamber")
    if marker is None:
        return False, {}
    if marker.args:
        raise pytest.UsageError(
            f"@pytest.mark.antechamber takes arguments by name only, not {marker.args[0]!r}"
        )
    options = dict(marker.kwargs)
    return bool(options.pop("fresh", False)), options
