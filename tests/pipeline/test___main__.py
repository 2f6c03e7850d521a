"""The process: its exit codes and its one line on stderr."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.__main__ import main

SCRIPT = Path(__file__).parents[2] / "pipeline" / "__main__.py"


def test_run_by_its_path_it_finds_its_package(tmp_path: Path) -> None:
    """As spark-submit runs it, from anywhere."""
    ended = subprocess.run(
        [sys.executable, str(SCRIPT), "--help"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.returncode == 0
    assert ended.stdout.startswith("usage: antechamber analyze")


def test_a_source_that_cannot_be_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """And exit code 1."""
    assert main(["kafka://nowhere"]) == 1
    assert capsys.readouterr().err.startswith("antechamber analyze: kafka://nowhere: a topic is")


def test_a_missing_library_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """pip install antechamber alone does not bring Spark."""
    monkeypatch.setitem(sys.modules, "pipeline.analysis", None)

    assert main(["a.jsonl"]) == 1
    assert "pip install 'antechamber[pipeline]'" in capsys.readouterr().err
