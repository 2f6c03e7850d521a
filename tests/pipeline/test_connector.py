"""Spark's Kafka connector."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pipeline.connector import COORDINATES, FOLDER_VARIABLE, connector_jars
from pipeline.errors import PipelineError

NAMES = [f"{artifact}-{version}.jar" for _, artifact, version in COORDINATES]


def test_a_folder_that_is_named_is_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without asking Maven."""
    for name in NAMES:
        (tmp_path / name).touch()
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))

    assert connector_jars() == [tmp_path / name for name in NAMES]


def test_a_folder_that_lacks_one_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The first that is missing is named, and all that are needed."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))

    with pytest.raises(PipelineError, match=f"has no {NAMES[0]}; it takes all of {NAMES[0]}, "):
        connector_jars()


def test_without_jars_and_maven_the_remedy_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A folder of one's own."""
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(PipelineError, match=f"nor mvn to fetch it; put .* in {FOLDER_VARIABLE}$"):
        connector_jars()


def test_a_maven_that_fails_leaves_no_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """So that the next try fetches again."""
    maven = tmp_path / "mvn"
    maven.write_text("#!/bin/sh\nexit 1\n")
    maven.chmod(0o755)
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)

    with pytest.raises(PipelineError, match="Maven could not fetch"):
        connector_jars()
    assert list((tmp_path / "cache" / "antechamber").iterdir()) == []
