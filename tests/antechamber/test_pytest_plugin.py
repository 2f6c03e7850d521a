"""The pytest plugin, in runs of pytest inside this one, with a fake cluster."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Self

import pytest

from antechamber import cluster, running_cluster
from antechamber.handle import Handle

pytest_plugins = ["pytester"]


class FakeClock:
    """A clock whose speed a test sets."""

    speed = 1
    now_us = 1000

    def state(self) -> dict[str, Any]:
        return {"speed": self.speed, "now_us": self.now_us}

    def run(self) -> None:
        self.speed = 1


class FakeCluster(Handle):
    """Keeps its options and the calls; tests set the states of its nodes."""

    made: list[FakeCluster]

    def __init__(self, **options: Any) -> None:
        self.options = options
        self.is_running = True
        self.states = {1: "running", 2: "running", 3: "running"}
        self.done: list[str] = []
        self._clock = FakeClock()
        FakeCluster.made.append(self)

    @property
    def admin(self) -> str:
        return "http://127.0.0.1:1"

    @property
    def clock(self) -> Any:
        return self._clock

    def cluster(self) -> dict[str, Any]:
        return {"nodes": [{"id": node, "state": state} for node, state in self.states.items()]}

    def resume(self, node: int) -> None:
        self.done.append(f"resume {node}")

    def start(self, node: int) -> None:
        self.done.append(f"start {node}")

    def wait_in_sync(self, *_: Any, **__: Any) -> None:
        self.done.append("wait_in_sync")

    def report(self, since_us: int = 0) -> str:
        return f"a report since {since_us}"

    def export_trace(self, path: str | os.PathLike[str], since_us: int = 0) -> int:
        Path(path).write_text(f"a trace since {since_us}")
        return 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.done.append("close")


@pytest.fixture(autouse=True)
def _fake(monkeypatch: pytest.MonkeyPatch) -> None:
    FakeCluster.made = []
    monkeypatch.setattr(cluster, "Cluster", FakeCluster)
    monkeypatch.setattr(running_cluster, "RunningCluster", FakeCluster)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # the others take a second to import
    monkeypatch.setenv("PYTEST_PLUGINS", "antechamber.pytest_plugin")


def run(pytester: pytest.Pytester, tests: str, *options: str) -> pytest.RunResult:
    """Run pytest on a file with these tests."""
    pytester.makepyfile("import pytest\nmark = pytest.mark.antechamber\n" + tests)
    return pytester.runpytest_inprocess("--strict-markers", "-p", "no:cacheprovider", *options)


def test_a_run_without_the_fixture_starts_no_cluster(pytester: pytest.Pytester) -> None:
    """The plugin costs nothing in such a run."""
    run(pytester, "def test(): pass").assert_outcomes(passed=1)

    assert FakeCluster.made == []


def test_tests_share_the_cluster_of_the_session(pytester: pytest.Pytester) -> None:
    """It is closed at the end; fixtures of a wider scope can use it."""
    tests = """
    @pytest.fixture(scope="module")
    def wide(shared_kafka_cluster):
        return shared_kafka_cluster

    def test_one(kafka_cluster, wide):
        assert kafka_cluster is wide

    def test_two(kafka_cluster):
        assert kafka_cluster.done == []
    """
    run(pytester, _dedented(tests)).assert_outcomes(passed=2)

    [only] = FakeCluster.made
    assert only.options == {"record": True}
    assert only.done == ["close"]


def test_the_marker_selects_another_cluster(pytester: pytest.Pytester) -> None:
    """There is one cluster for each set of options of tests, classes and modules."""
    tests = """
    def test_default(kafka_cluster): pass

    @mark(brokers=3, config={"a": 1})
    def test_three(kafka_cluster): pass

    @mark(brokers=3, config={"a": 1})
    class Test:
        def test_same(self, kafka_cluster): pass

        @mark(brokers=2)
        def test_two(self, kafka_cluster): pass
    """
    run(pytester, _dedented(tests)).assert_outcomes(passed=4)

    assert [each.options for each in FakeCluster.made] == [
        {"record": True},
        {"record": True, "brokers": 3, "config": {"a": 1}},
        {"record": True, "brokers": 2},
    ]


def test_options_for_all_tests_in_conftest(pytester: pytest.Pytester) -> None:
    """The marker's arguments override them."""
    pytester.makeconftest(
        "import pytest\n"
        "@pytest.fixture(scope='session')\n"
        "def antechamber_options(): return {'brokers': 3, 'topics': ['t']}\n"
    )
    tests = """
    def test_default(kafka_cluster): pass

    @mark(brokers=1)
    def test_one(kafka_cluster): pass
    """
    run(pytester, _dedented(tests)).assert_outcomes(passed=2)

    assert [each.options for each in FakeCluster.made] == [
        {"record": True, "brokers": 3, "topics": ["t"]},
        {"record": True, "brokers": 1, "topics": ["t"]},
    ]


RUNNING = """
import pytest

@pytest.fixture(scope="session")
def antechamber_options():
    return {"admin": "https://broker:9644", "token": "t", "ca": "ca.pem"}
"""


def test_a_cluster_that_runs_already(pytester: pytest.Pytester) -> None:
    """It has the URL, the token and the CA of the options; faults are undone, and it goes on."""
    pytester.makeconftest(RUNNING)
    tests = """
    def test(kafka_cluster):
        kafka_cluster.states[2] = "stopped"
    """
    run(pytester, _dedented(tests)).assert_outcomes(passed=1)

    [running] = FakeCluster.made
    assert running.options == {"admin": "https://broker:9644", "token": "t", "ca": "ca.pem"}
    assert running.done == ["start 2", "wait_in_sync"]


@pytest.mark.parametrize("arguments", ["brokers=3", "fresh=True"])
def test_the_marker_cannot_change_a_cluster_that_runs_already(
    pytester: pytest.Pytester, arguments: str
) -> None:
    """The error names the cluster and the remedy."""
    pytester.makeconftest(RUNNING)
    result = run(pytester, f"@mark({arguments})\ndef test(kafka_cluster): pass")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["*the cluster at https://broker:9644, which runs already; deselect its tests with -m *"]
    )


def test_a_fresh_cluster_is_for_one_test(pytester: pytest.Pytester) -> None:
    """It is started for the test and closed after it."""
    tests = """
    @mark(fresh=True, brokers=3)
    def test_one(kafka_cluster):
        kafka_cluster.states[2] = "stopped"

    @mark(fresh=True, brokers=3)
    def test_two(kafka_cluster):
        assert "stopped" not in kafka_cluster.states.values()
    """
    run(pytester, _dedented(tests)).assert_outcomes(passed=2)

    assert [each.options for each in FakeCluster.made] == [{"record": True, "brokers": 3}] * 2
    assert [each.done for each in FakeCluster.made] == [["close"]] * 2


def test_faults_end_with_the_test(pytester: pytest.Pytester) -> None:
    """Paused and stopped nodes run again and are in sync for the next test."""
    tests = """
    def test_one(kafka_cluster):
        kafka_cluster.states.update({2: "paused", 3: "stopped"})
        assert False

    def test_two(kafka_cluster):
        assert kafka_cluster.done == ["resume 2", "start 3", "wait_in_sync"]
        kafka_cluster.states.update({2: "running", 3: "running"})

    def test_three(kafka_cluster):
        assert len(kafka_cluster.done) == 3
    """
    run(pytester, _dedented(tests)).assert_outcomes(passed=2, failed=1)


def test_the_clock_runs_again_after_the_test(pytester: pytest.Pytester) -> None:
    """At its normal speed."""
    tests = """
    def test_one(kafka_cluster):
        kafka_cluster.clock.speed = 0

    def test_two(kafka_cluster):
        assert kafka_cluster.clock.speed == 1
    """
    run(pytester, _dedented(tests)).assert_outcomes(passed=2)


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
    result = run(pytester, _dedented(tests))

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
    result = run(pytester, _dedented(tests))

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
    run(pytester, _dedented(tests)).stdout.fnmatch_lines([SECTION, "a report since 0"])


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


def test_a_broker_that_died_is_replaced(pytester: pytest.Pytester) -> None:
    """The crash of a broker in one test does not fail the other tests."""
    tests = """
    def test_one(kafka_cluster):
        kafka_cluster.is_running = False

    def test_two(kafka_cluster):
        assert kafka_cluster.is_running
    """
    run(pytester, _dedented(tests)).assert_outcomes(passed=2)

    assert len(FakeCluster.made) == 2


def test_the_marker_takes_keyword_arguments_only(pytester: pytest.Pytester) -> None:
    """A positional argument is a usage error."""
    result = run(pytester, "@mark(3)\ndef test(kafka_cluster): pass")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*takes arguments by name only, not 3*"])


def test_the_marker_and_the_fixtures_are_listed(pytester: pytest.Pytester) -> None:
    """pytest --markers and --fixtures list them."""
    pytester.runpytest_inprocess("--markers").stdout.fnmatch_lines(
        ["@pytest.mark.antechamber(*, fresh=False, brokers=1, *"]
    )
    pytester.runpytest_inprocess("--fixtures").stdout.fnmatch_lines(["kafka_cluster -- *"])


def _dedented(tests: str) -> str:
    return "\n".join(line.removeprefix("    ") for line in tests.splitlines())
