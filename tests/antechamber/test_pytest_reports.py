"""The reports of failed tests by the pytest plugin, in runs of pytest with a fake cluster."""

from __future__ import annotations

import pytest

from tests.antechamber.plugin_runs import FakeCluster, dedented, run, use_fakes

pytest_plugins = ["pytester"]


@pytest.fixture(autouse=True)
def _fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    use_fakes(monkeypatch)


SECTION = "*- Kafka cluster at http://127.0.0.1:1 -*"


def test_the_report_of_a_failed_test_has_that_of_its_cluster(pytester: pytest.Pytester) -> None:
    """It begins at the start of the cluster, and names the trace file."""
    result = run(pytester, "def test(kafka_cluster): assert False", "--antechamber-traces=out")

    result.stdout.fnmatch_lines([SECTION, "a report since 0", "Trace, for ui.perfetto.dev: *"])
    [trace] = (pytester.path / "out").iterdir()
    assert trace.name == "test_the_report_of_a_failed_test_has_that_of_its_cluster-py-test.json"
    assert trace.read_text() == "a trace since 0"


def test_the_report_has_the_requests_of_the_test_only(pytester: pytest.Pytester) -> None:
    """It begins at the time of the cluster's clock before the fixtures of the test."""
    tests = """
    def test_one(kafka_cluster):
        kafka_cluster.clock.now_us = 2000

    def test_two(kafka_cluster):
        kafka_cluster.clock.now_us = 3000
        assert False

    def test_three(kafka_cluster, shared_kafka_cluster):
        assert False
    """
    result = run(pytester, dedented(tests))

    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["a report since 2000", "a report since 3000"])
    assert str(result.stdout).count("a report since 3000") == 1, "it is the same cluster"


def test_the_report_of_a_failed_fixture(pytester: pytest.Pytester) -> None:
    """The clusters are those that were ready before it failed."""
    tests = """
    @pytest.fixture
    def consumer(kafka_cluster):
        raise ValueError

    def test(consumer): pass
    """
    result = run(pytester, dedented(tests))

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([SECTION])


@pytest.mark.parametrize(
    "tests",
    [
        "def test(kafka_cluster): pass",
        "def test(kafka_cluster): pytest.skip()",
        "@pytest.mark.xfail\ndef test(kafka_cluster): assert False",
        "def test_one(kafka_cluster): pass\ndef test_two(): assert False",
    ],
    ids=["passed", "skipped", "expected to fail", "without a cluster"],
)
def test_there_is_no_report_of_other_tests(pytester: pytest.Pytester, tests: str) -> None:
    """Also if another test has used a cluster."""
    result = run(pytester, tests, "--antechamber-traces=out", "-rA")

    result.stdout.no_fnmatch_line(SECTION)
    assert not (pytester.path / "out").exists()


def test_a_cluster_of_another_fixture_is_reported(pytester: pytest.Pytester) -> None:
    """Every handle among the fixtures of the test is, such as one of a container."""
    tests = """
    @pytest.fixture
    def kafka():
        from antechamber.cluster import Cluster
        return Cluster()

    def test(kafka): assert False
    """
    run(pytester, dedented(tests)).stdout.fnmatch_lines([SECTION, "a report since 0"])


def test_without_a_folder_traces_are_in_the_temporary_folder(pytester: pytest.Pytester) -> None:
    """pytest deletes it after a few runs."""
    folder = pytester.path / "temporary"
    run(pytester, "def test(kafka_cluster): assert False", f"--basetemp={folder}")

    assert len([*(folder / "antechamber-traces").iterdir()]) == 1


def test_the_junit_file_has_the_report(pytester: pytest.Pytester) -> None:
    """As properties of the test."""
    run(pytester, "def test(kafka_cluster): assert False", "--junitxml=junit.xml")

    junit = (pytester.path / "junit.xml").read_text()
    assert '<property name="antechamber_report" value="a report since 0&#10;Trace' in junit
    assert '<property name="antechamber_trace" value="/' in junit


def test_a_repeated_test_is_reported_each_time(pytester: pytest.Pytester) -> None:
    """As plugins that repeat failed tests do."""
    pytester.makeconftest(
        "from _pytest.runner import runtestprotocol\n"
        "def pytest_runtest_protocol(item, nextitem):\n"
        "    for _ in range(2):\n"
        "        item._initrequest()\n"
        "        runtestprotocol(item, nextitem=nextitem)\n"
        "    return True\n"
    )
    result = run(pytester, "def test(kafka_cluster): assert False", "--antechamber-traces=out")

    result.assert_outcomes(failed=2)
    assert len([*(pytester.path / "out").iterdir()]) == 2
    assert [each.done for each in FakeCluster.made] == [["close"]] * 2
