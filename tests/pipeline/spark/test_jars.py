"""The jars that pyspark does not contain."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pipeline.errors import PipelineError
from pipeline.spark.jars import DELTA, KAFKA, JarSet

either = pytest.mark.parametrize("needed", [KAFKA, DELTA], ids=["kafka", "delta"])


@either
def test_a_named_folder_is_used(
    needed: JarSet, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Maven is not started."""
    for name in needed.file_names():
        (tmp_path / name).touch()
    monkeypatch.setenv(needed.variable, str(tmp_path))

    assert needed.jars() == [tmp_path / name for name in needed.file_names()]


@either
def test_a_named_folder_without_a_jar(
    needed: JarSet, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The error names the first missing jar and all required ones."""
    monkeypatch.setenv(needed.variable, str(tmp_path))

    first = needed.file_names()[0]
    with pytest.raises(PipelineError, match=f"has no {first}; it takes all of {first}, "):
        needed.jars()


@either
def test_neither_jars_nor_maven(
    needed: JarSet, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The error says how to provide the jars in a folder."""
    monkeypatch.delenv(needed.variable, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(PipelineError, match=f"nor mvn is installed; put .* in {needed.variable}$"):
        needed.jars()


@either
def test_a_failure_of_maven(
    needed: JarSet, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """No folder remains, so that the next start fetches again."""
    maven = tmp_path / "mvn"
    maven.write_text("#!/bin/sh\nexit 1\n")
    maven.chmod(0o755)
    monkeypatch.delenv(needed.variable, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)

    with pytest.raises(PipelineError, match="Maven could not fetch"):
        needed.jars()
    assert list((tmp_path / "cache" / "antechamber").iterdir()) == []
