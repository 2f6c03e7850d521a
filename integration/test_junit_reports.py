"""The results of other projects' tests in JUnit's reports."""

from __future__ import annotations

from pathlib import Path

import pytest

from integration.outside.junit_reports import results_of
from integration.outside.suite import Verdict


def _report(folder: Path, *cases: str) -> Path:
    (folder / "TEST-junit-jupiter.xml").write_text(f"<testsuite>{''.join(cases)}</testsuite>")
    return folder


def _case(name: str, content: str = "") -> str:
    return f'<testcase name="{name}" classname="a.b.CTest">{content}</testcase>'


@pytest.mark.parametrize(
    ("content", "verdict"),
    [
        ("", Verdict.PASSED),
        ("<skipped/>", Verdict.SKIPPED),
        ('<failure message="expected 1">at x</failure>', Verdict.FAILED),
        ('<error message="no start"/>', Verdict.FAILED),
        ('<failure message="inside of the broker: A.b">at x</failure>', Verdict.SKIPPED),
        ('<failure message="late">Caused by: inside of the broker: A.b</failure>', Verdict.SKIPPED),
    ],
)
def test_a_test_has_its_verdict(tmp_path: Path, content: str, verdict: Verdict) -> None:
    """One that needs an object inside of Kafka's broker is skipped."""
    reports = _report(tmp_path, _case("testA()", content))

    assert results_of(reports, "a.b.CTest") == {"CTest.testA": verdict}


def test_the_worst_invocation_counts(tmp_path: Path) -> None:
    """Invocations have the same method and other parameters."""
    failure = '<failure message="no"/>'
    cases = (_case("testA(int)[1]"), _case("testA(int)[2]", failure), _case("testA(int)[3]"))

    assert results_of(_report(tmp_path, *cases), "a.b.CTest") == {"CTest.testA": Verdict.FAILED}


def test_a_class_without_results_has_failed(tmp_path: Path) -> None:
    """Its JVM has ended before the report."""
    assert results_of(tmp_path, "a.b.CTest") == {"CTest": Verdict.FAILED}
