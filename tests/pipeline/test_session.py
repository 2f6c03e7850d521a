"""The Java that a session needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.errors import PipelineError
from pipeline.session import check_java


def java(folder: Path, says: str) -> None:
    """A program that answers to -version as Java does."""
    program = folder / "bin" / "java"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho '{says}' >&2\n")
    program.chmod(0o755)


def test_no_java_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With what to install."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(PipelineError, match=r"no Java here.*install a Java runtime of version 17"):
        check_java()


@pytest.mark.parametrize("says", ['openjdk version "11.0.2"', 'java version "1.8.0_401"', "hm"])
def test_an_old_or_strange_java_is_refused(
    says: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It is named by its path and version."""
    java(tmp_path, says)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))

    with pytest.raises(PipelineError, match=r"bin/java is Java (11|8|of unknown version); install"):
        check_java()


def test_a_new_java_will_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Also one that is newer than any known here."""
    java(tmp_path, 'openjdk version "31" 2031-03-01')
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))

    check_java()
