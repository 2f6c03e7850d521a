"""The pytest plugin: a Kafka-protocol cluster as a fixture.

    def test_an_order_is_shipped(kafka_cluster):
        ship(kafka_cluster.bootstrap, ...)

    @pytest.mark.antechamber(brokers=3, config={"min.insync.replicas": 2})
    def test_a_slow_follower_is_waited_for(kafka_cluster):
        kafka_cluster.pause(3)
        ...

kafka_cluster           an `antechamber.Cluster`: that of the session, or one as the marker asks.
                        Clusters are started when a test first asks for them; tests that ask for
                        the same share one. Nodes that a test pauses or stops are back after it.
shared_kafka_cluster    that of the session, for fixtures of a wider scope.
antechamber_options     what they are made with: override it in conftest.py to return arguments of
                        `antechamber.Cluster`; the marker's go over them.

With ``fresh=True`` the marker asks for a cluster that no other test has touched. Nothing but this
file is imported in a run that uses no cluster.
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
    """Let pytest know the marker."""
    config.addinivalue_line(
        "markers",
        "antechamber(*, fresh=False, brokers=1, config={}, topics=[], ...): "
        "the cluster that kafka_cluster is; arguments are those of antechamber.Cluster",
    )


@pytest.fixture(scope="session")
def antechamber_options() -> Options:
    """Arguments of `antechamber.Cluster` for every cluster; override it in conftest.py."""
    return {}


@pytest.fixture(scope="session")
def _kafka_clusters() -> Iterator[Callable[[Options], Cluster]]:
    """Gives the cluster of the session for some options, and starts it if there is none yet."""
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
    """The cluster of the session."""
    return _kafka_clusters(antechamber_options)


@pytest.fixture
def kafka_cluster(
    request: pytest.FixtureRequest,
    _kafka_clusters: Callable[[Options], Cluster],
    antechamber_options: Options,
) -> Iterator[Cluster]:
    """A cluster: that of the session, or as ``@pytest.mark.antechamber`` asks for it."""
    fresh, asked = _asked(request)
    options = {**antechamber_options, **asked}
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
    """Bring back what a test has paused or stopped, for the next one."""
    hurt = [node for node in cluster.cluster()["nodes"] if node["state"] in _BACK]
    for node in hurt:
        getattr(cluster, _BACK[node["state"]])(node["id"])
    if hurt:
        cluster.wait_in_sync(timeout=_IN_SYNC_TIMEOUT_S)


def _asked(request: pytest.FixtureRequest) -> tuple[bool, Options]:
    marker = request.node.get_closest_marker("antechamber")
    if marker is None:
        return False, {}
    if marker.args:
        raise pytest.UsageError(
            f"@pytest.mark.antechamber takes arguments by name only, not {marker.args[0]!r}"
        )
    options = dict(marker.kwargs)
    return bool(options.pop("fresh", False)), options
