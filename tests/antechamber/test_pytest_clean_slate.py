"""Clean clusters and prefixes of the pytest plugin, in runs of pytest with a fake cluster."""

from __future__ import annotations

import re

import pytest

from tests.antechamber.plugin_runs import FakeCluster, dedented, run, use_fakes

pytest_plugins = ["pytester"]


@pytest.fixture(autouse=True)
def _fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    use_fakes(monkeypatch)


def test_a_clean_cluster_is_reset_before_each_test(pytester: pytest.Pytester) -> None:
    """It is one cluster, which stays after the test for its report."""
    tests = """
    def test_one(clean_kafka_cluster):
        assert clean_kafka_cluster.done == ["reset"]

    def test_two(clean_kafka_cluster):
        assert clean_kafka_cluster.done == ["reset", "reset"]
    """
    run(pytester, dedented(tests)).assert_outcomes(passed=2)

    [only] = FakeCluster.made
    assert only.done == ["reset", "reset", "close"]


def test_the_clusters_of_other_fixtures_are_not_reset(pytester: pytest.Pytester) -> None:
    """Fixtures of a wider scope can have topics in them."""
    tests = """
    def test(shared_kafka_cluster, kafka_cluster, clean_kafka_cluster):
        assert clean_kafka_cluster is not kafka_cluster
        assert shared_kafka_cluster.done == []
    """
    run(pytester, dedented(tests)).assert_outcomes(passed=1)


def test_the_marker_selects_another_clean_cluster(pytester: pytest.Pytester) -> None:
    """A fresh one is clean without a reset."""
    tests = """
    @mark(brokers=3)
    def test_three(clean_kafka_cluster): pass

    @mark(fresh=True)
    def test_fresh(clean_kafka_cluster): pass
    """
    run(pytester, dedented(tests)).assert_outcomes(passed=2)

    assert [each.done for each in FakeCluster.made] == [["reset", "close"], ["close"]]


def test_what_has_the_prefix_is_removed_after_the_test(pytester: pytest.Pytester) -> None:
    """When the faults of the test are undone, because its transactions are aborted then."""
    tests = """
    def test_an_order(kafka_prefix, kafka_cluster):
        kafka_cluster.states[2] = "stopped"
        assert kafka_prefix.startswith("test_an_order-")
    """
    run(pytester, dedented(tests)).assert_outcomes(passed=1)

    [only] = FakeCluster.made
    start, in_sync, reset, *_ = only.done
    assert (start, in_sync) == ("start 2", "wait_in_sync")
    assert re.fullmatch("reset test_an_order-[0-9a-f]{8}-", reset)


def test_each_test_has_another_prefix(pytester: pytest.Pytester) -> None:
    """Also the tests of one function, and the repetitions of a test."""
    tests = """
    @pytest.mark.parametrize("number", [1, 1])
    def test(kafka_prefix, number): pass
    """
    run(pytester, dedented(tests)).assert_outcomes(passed=2)

    [only] = FakeCluster.made
    resets = [each for each in only.done if each.startswith("reset")]
    assert len({*resets}) == 2


def test_a_broker_that_died_has_nothing_to_remove(pytester: pytest.Pytester) -> None:
    """The test fails, and its teardown does not."""
    tests = """
    def test(kafka_prefix, kafka_cluster):
        kafka_cluster.is_running = False
    """
    run(pytester, dedented(tests)).assert_outcomes(passed=1)
