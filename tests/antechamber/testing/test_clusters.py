"""The clusters of a test session, with fake clusters."""

from __future__ import annotations

from typing import Any, Self

import pytest

from antechamber import cluster, running_cluster
from antechamber.testing.clusters import Clusters


class FakeCluster:
    """Keeps its options, and whether it was closed."""

    def __init__(self, **options: Any) -> None:
        self.options = options
        self.is_running = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.is_running = False


@pytest.fixture
def clusters(monkeypatch: pytest.MonkeyPatch) -> Clusters:
    """The clusters of a session."""
    monkeypatch.setattr(cluster, "Cluster", FakeCluster)
    monkeypatch.setattr(running_cluster, "RunningCluster", FakeCluster)
    return Clusters()


def test_there_is_one_cluster_for_each_set_of_options(clusters: Clusters) -> None:
    """The order of the options is irrelevant."""
    one = clusters.get({"brokers": 3, "tls": True})

    assert clusters.get({"tls": True, "brokers": 3}) is one
    assert clusters.get({"brokers": 3}) is not one
    assert len(clusters.running()) == 2


def test_a_cluster_keeps_wait_records(clusters: Clusters) -> None:
    """Unless the options say otherwise."""
    found: Any = [clusters.get({}), clusters.get({"record": False})]

    assert [each.options for each in found] == [{"record": True}, {"record": False}]


def test_a_cluster_that_does_not_run_is_replaced(clusters: Clusters) -> None:
    """The crash of a broker does not fail the other tests."""
    crashed: Any = clusters.get({})
    crashed.is_running = False

    assert clusters.get({}) is not crashed
    assert crashed not in clusters.running()


def test_clusters_end_with_the_session(clusters: Clusters) -> None:
    """Except those that ran already."""
    own, running = clusters.get({}), clusters.get({"admin": "http://127.0.0.1:1"})
    clusters.close()

    assert not own.is_running
    assert running.is_running
