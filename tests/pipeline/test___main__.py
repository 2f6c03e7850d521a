"""The process of the analysis: its exit codes and its error line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.__main__ import main

SCRIPT = Path(__file__).parents[2] / "pipeline" / "__main__.py"


def test_a_start_by_path_finds_the_package(tmp_path: Path) -> None:
    """spark-submit starts the script by its path."""
    ended = subprocess.run(
        [sys.executable, str(SCRIPT), "--help"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.returncode == 0
    assert ended.stdout.startswith("usage: antechamber analyze")


def test_an_invalid_source(capsys: pytest.CaptureFixture[str]) -> None:
    """The error is one line, and the exit code is 1."""
    assert main(["kafka://nowhere"]) == 1
    assert capsys.readouterr().err.startswith("antechamber analyze: kafka://nowhere: a topic is")


def test_a_missing_library(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error names the extra that installs Spark."""
    monkeypatch.setitem(sys.modules, "pipeline.analysis", None)

    assert main(["a.jsonl"]) == 1
    assert "pip install 'antechamber[pipeline]'" in capsys.readouterr().err
