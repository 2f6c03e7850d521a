"""The fixtures and the marker of the pytest plugin, in runs of pytest with a fake cluster."""

from __future__ import annotations

import pytest

from antechamber import StartError, cluster
from tests.antechamber.plugin_runs import FakeCluster, dedented, run, use_fakes

pytest_plugins = ["pytester"]


@pytest.fixture(autouse=True)
def _fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    use_fakes(monkeypatch)


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
    run(pytester, dedented(tests)).assert_outcomes(passed=2)

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
    run(pytester, dedented(tests)).assert_outcomes(passed=4)

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
    run(pytester, dedented(tests)).assert_outcomes(passed=2)

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
    run(pytester, dedented(tests)).assert_outcomes(passed=1)

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
    run(pytester, dedented(tests)).assert_outcomes(passed=2)

    assert [each.options for each in FakeCluster.made] == [{"record": True, "brokers": 3}] * 2
    assert [each.done for each in FakeCluster.made] == [["close"]] * 2


def test_a_test_with_a_schedule_of_faults_has_a_fresh_cluster(pytester: pytest.Pytester) -> None:
    """The rules count the requests from its start on, and end with the test."""
    tests = """
    @mark(faults="lost.yaml")
    def test_one(kafka_cluster): pass

    @mark(faults="lost.yaml")
    def test_two(kafka_cluster): pass
    """
    run(pytester, dedented(tests)).assert_outcomes(passed=2)

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
    run(pytester, dedented(tests)).assert_outcomes(passed=2, failed=1)


def test_the_clock_runs_again_after_the_test(pytester: pytest.Pytester) -> None:
    """At its normal speed."""
    tests = """
    def test_one(kafka_cluster):
        kafka_cluster.clock.speed = 0

    def test_two(kafka_cluster):
        assert kafka_cluster.clock.speed == 1
    """
    run(pytester, dedented(tests)).assert_outcomes(passed=2)


def test_fault_rules_end_with_the_test(pytester: pytest.Pytester) -> None:
    """Also those that have neither fired nor expired."""
    tests = """
    def test_one(kafka_cluster):
        assert kafka_cluster.faults.rules

    def test_two(kafka_cluster):
        assert not kafka_cluster.faults.rules
    """
    run(pytester, dedented(tests)).assert_outcomes(passed=2)


def test_a_broker_that_died_is_replaced(pytester: pytest.Pytester) -> None:
    """The crash of a broker in one test does not fail the other tests."""
    tests = """
    def test_one(kafka_cluster):
        kafka_cluster.is_running = False

    def test_two(kafka_cluster):
        assert kafka_cluster.is_running
    """
    run(pytester, dedented(tests)).assert_outcomes(passed=2)

    assert len(FakeCluster.made) == 2


def test_the_marker_takes_keyword_arguments_only(pytester: pytest.Pytester) -> None:
    """A positional argument is a usage error."""
    result = run(pytester, "@mark(3)\ndef test(kafka_cluster): pass")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*takes arguments by name only, not 3*"])


def test_fresh_is_true_or_false(pytester: pytest.Pytester) -> None:
    """Another value is a usage error."""
    result = run(pytester, "@mark(fresh='x')\ndef test(kafka_cluster): pass")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*fresh is True or False, not 'x'"])


@pytest.mark.parametrize("fixture", ["kafka_cluster", "clean_kafka_cluster"])
@pytest.mark.parametrize("marker", ["", "@mark(fresh=True)\n", "@mark(3)\n"])
def test_a_failed_start_shows_no_code_of_the_package(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, marker: str, fixture: str
) -> None:
    """The report has the error, with its public name."""

    def fail(**_options: object) -> None:
        __tracebackhide__ = True
        raise StartError("no disk")

    monkeypatch.setattr(cluster, "Cluster", fail)
    result = run(pytester, f"{marker}def test({fixture}): pass")

    result.assert_outcomes(errors=1)
    error = "pytest.UsageError: *not 3" if "3" in marker else "antechamber.StartError: no disk"
    result.stdout.fnmatch_lines([f"E   {error}", "All traceback entries are hidden*"])


def test_a_marker_without_the_fixture_is_warned_of(pytester: pytest.Pytester) -> None:
    """The warning names the fixtures; a marker of a class may be for other tests of it."""
    tests = """
    @mark(brokers=3)
    def test_one(): pass

    @mark(brokers=3)
    class Test:
        def test_two(self): pass

    @mark(brokers=3)
    def test_three(request):
        request.getfixturevalue("kafka_cluster")
    """
    result = run(pytester, dedented(tests), "-W", "default")

    result.assert_outcomes(passed=3, warnings=1)
    words = "has no effect: the test uses neither kafka_cluster nor clean_kafka_cluster"
    result.stdout.fnmatch_lines([f"*PytestWarning: @pytest.mark.antechamber {words}"])


def test_the_marker_and_the_fixtures_are_listed(pytester: pytest.Pytester) -> None:
    """pytest --markers and --fixtures list them."""
    pytester.runpytest_inprocess("--markers").stdout.fnmatch_lines(
        ["@pytest.mark.antechamber(*, fresh=False, brokers=1, *"]
    )
    pytester.runpytest_inprocess("--fixtures").stdout.fnmatch_lines(["kafka_cluster -- *"])


@pytest.mark.parametrize("name", ["kafka_cluster", "clean_kafka_cluster"])
def test_a_scope_mismatch_names_the_cluster_for_wider_scopes(
    pytester: pytest.Pytester, name: str
) -> None:
    """The error of pytest names only the fixture that has the narrower scope."""
    tests = f"""
    @pytest.fixture(scope="module")
    def wide({name}): pass

    def test(wide): pass
    """
    result = run(pytester, dedented(tests))

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["ScopeMismatch: *", "A fixture with a wider scope * can use shared_kafka_cluster."]
    )


def test_other_scope_mismatches_have_no_remedy(pytester: pytest.Pytester) -> None:
    """The fixtures of other plugins have nothing to do with clusters."""
    tests = """
    @pytest.fixture(scope="module")
    def wide(monkeypatch): pass

    def test(wide): pass
    """
    result = run(pytester, dedented(tests))

    result.assert_outcomes(errors=1)
    result.stdout.no_fnmatch_line("*shared_kafka_cluster*")
