"""A pytest plugin with a Kafka-protocol cluster as a fixture.

    def test_an_order_is_shipped(kafka_cluster):
        ship(kafka_cluster.bootstrap, ...)

    @pytest.mark.antechamber(brokers=3, config={"min.insync.replicas": 2})
    def test_a_slow_follower_delays_an_order(kafka_cluster):
        kafka_cluster.pause(3)
        ...

- kafka_cluster: an `antechamber.Cluster` with the options of the session and of the marker.
  It starts with the first test that uses it. Tests with equal options share a cluster; nodes that
  a test has paused or stopped run again after the test.
- shared_kafka_cluster: the cluster with the options of the session, for wider fixture scopes.
- antechamber_options: the arguments of `antechamber.Cluster`; override it in conftest.py. The
  marker's arguments override them.

``fresh=True`` in the marker starts a cluster for this test alone. A run that uses no cluster
imports only this file of the package.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from antechamber.cluster import Cluster

Options = dict[str, Any]

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
def _kafka_clusters() -> Iterator[Callable[[Options], Cluster]]:
    """Return a function that returns the session's cluster for some options, and starts it."""
    from antechamber.cluster import Cluster

    running: dict[str, Cluster] = {}
    with ExitStack() as stack:

        def cluster(options: Options) -> Cluster:
            key = repr(sorted(options.items()))
            if key not in running or not running[key].is_running:
                running[key] = stack.enter_context(Cluster(**options))
            return running[key]

        yield cluster


@pytest.fixture(scope="session")
def shared_kafka_cluster(
    _kafka_clusters: Callable[[Options], Cluster], antechamber_options: Options
) -> Cluster:
    """The cluster with the options of the session."""
    return _kafka_clusters(antechamber_options)


@pytest.fixture
def kafka_cluster(
    request: pytest.FixtureRequest,
    _kafka_clusters: Callable[[Options], Cluster],
    antechamber_options: Options,
) -> Iterator[Cluster]:
    """A cluster with the options of the session and of ``@pytest.mark.antechamber``."""
    fresh, marked = _marker_options(request)
    options = {**antechamber_options, **marked}
    if fresh:
        from antechamber.cluster import Cluster

        with Cluster(**options) as cluster:
            yield cluster
        return
    cluster = _kafka_clusters(options)
    yield cluster
    if cluster.is_running:
        _undo_faults(cluster)


def _undo_faults(cluster: Cluster) -> None:
    """Resume and start the nodes that a test has paused or stopped."""
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
