"""Tests of the proxy's process."""

from __future__ import annotations

from pathlib import Path

import pytest

from recorder.__main__ import main


def test_an_upstream_that_is_not_there_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An unreachable upstream gives exit code 1 and one line on stderr."""
    assert main(["--upstream", "127.0.0.1:1", "--records", str(tmp_path / "r")]) == 1
    assert capsys.readouterr().err == (
        "antechamber record: --upstream 127.0.0.1:1: cannot connect\n"
    )


def test_a_file_that_cannot_be_written_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """A file that cannot be opened is reported in one line before the proxy starts."""
    assert main(["--upstream", "127.0.0.1:1", "--records", "/none/such"]) == 1
    assert capsys.readouterr().err == (
        "antechamber record: --records /none/such: No such file or directory\n"
    )
