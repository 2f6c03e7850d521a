"""The check of the installed Java."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.errors import PipelineError
from pipeline.spark.java import check_java


def java(folder: Path, version: str) -> None:
    """Install a script that prints a version as Java does."""
    program = folder / "bin" / "java"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho '{version}' >&2\n")
    program.chmod(0o755)


def test_no_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The error names the required version."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(
        PipelineError,
        match=r"none is installed; install a Java runtime of version 17",
    ):
        check_java()


@pytest.mark.parametrize("version", ['openjdk version "11.0.2"', 'java version "1.8.0_401"', "hm"])
def test_an_unsuitable_java(version: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The error names the path and the version."""
    java(tmp_path, version)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))

    with pytest.raises(PipelineError, match=r"bin/java is Java (11|8|of unknown version); install"):
        check_java()


def test_a_java_home_without_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The error names the program and the reason."""
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(
        PipelineError, match=r"^cannot run .*/bin/java: No such file or directory; install"
    ):
        check_java()


def test_a_java_that_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The error has the exit code."""
    java(tmp_path, "")
    (tmp_path / "bin" / "java").write_text("#!/bin/sh\nexit 7\n")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(PipelineError, match=r"java -version ended with exit code 7; install"):
        check_java()


def test_a_newer_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Every newer version is accepted."""
    java(tmp_path, 'openjdk version "31" 2031-03-01')
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))

    check_java()
