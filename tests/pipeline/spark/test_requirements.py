"""What ``antechamber analyze --check`` reports."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from pipeline.__main__ import main
from pipeline.spark import requirements
from pipeline.spark.jars import DELTA, KAFKA
from pipeline.spark.requirements import check


@pytest.fixture(autouse=True)
def _java(monkeypatch: pytest.MonkeyPatch) -> None:
    """Java 21 is installed."""
    monkeypatch.setattr(requirements, "check_java", lambda: 21)


@pytest.fixture
def jars(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder with the connector's jars."""
    for name in KAFKA.file_names():
        (tmp_path / name).touch()
    monkeypatch.setenv(KAFKA.variable, str(tmp_path))
    return tmp_path


def test_all_requirements_are_there(jars: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line each, and the exit code is 0; no source is needed."""
    assert main(["--check"]) == 0

    java, spark, connector = capsys.readouterr().out.splitlines()
    assert java == "ok       analyze: Java 21"
    assert spark.startswith("ok       analyze: Spark 4.2")
    assert connector == f"ok       analyze: Spark's Kafka connector, in {jars}"


def test_delta_lake_is_required_for_its_format(
    jars: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without `--format delta`, nothing is said of it."""
    monkeypatch.setenv(DELTA.variable, str(jars))

    assert main(["--check", "--format", "delta"]) == 1

    *_, delta = capsys.readouterr().out.splitlines()
    assert delta.startswith(f"missing  analyze: {DELTA.variable}: {jars} has no delta-spark_")


def test_a_missing_requirement_has_a_remedy(
    jars: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The others are still reported, and the exit code is 1."""
    next(jars.iterdir()).unlink()

    assert main(["--check"]) == 1

    *_, connector = capsys.readouterr().out.splitlines()
    assert connector.startswith(f"missing  analyze: {KAFKA.variable}: {jars} has no ")


def test_missing_packages_name_the_extra(jars: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them are named at once."""

    def absent(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(requirements, "version", absent)
    lines: list[str] = []

    assert check(lines.append) == 1
    assert lines[1] == (
        "missing  analyze: pyspark, rich not installed; pip install 'antechamber[pipeline]'\n"
    )
