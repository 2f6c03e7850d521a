"""The jars of Spark's Kafka connector."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pipeline.connector import COORDINATES, FOLDER_VARIABLE, connector_jars
from pipeline.errors import PipelineError

NAMES = [f"{artifact}-{version}.jar" for _, artifact, version in COORDINATES]


def test_a_named_folder_is_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Maven is not started."""
    for name in NAMES:
        (tmp_path / name).touch()
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))

    assert connector_jars() == [tmp_path / name for name in NAMES]


def test_a_named_folder_without_a_jar(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The error names the first missing jar and all required ones."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))

    with pytest.raises(PipelineError, match=f"has no {NAMES[0]}; it takes all of {NAMES[0]}, "):
        connector_jars()


def test_neither_jars_nor_maven(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The error says how to provide the jars in a folder."""
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(PipelineError, match=f"nor mvn is installed; put .* in {FOLDER_VARIABLE}$"):
        connector_jars()


def test_a_failure_of_maven(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No folder remains, so that the next start fetches again."""
    maven = tmp_path / "mvn"
    maven.write_text("#!/bin/sh\nexit 1\n")
    maven.chmod(0o755)
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)

    with pytest.raises(PipelineError, match="Maven could not fetch"):
        connector_jars()
    assert list((tmp_path / "cache" / "antechamber").iterdir()) == []
