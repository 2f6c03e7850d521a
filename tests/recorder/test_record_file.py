"""Tests of the record file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from recorder.record_file import RecordFile
from tests.full_disk import filling_up


def test_records_are_added_a_line_each(tmp_path: Path) -> None:
    """Records are appended, one a line, after those of an earlier run."""
    (tmp_path / "r").write_text('{"a":0}\n')
    file = RecordFile(tmp_path / "r")
    file.keep({"a": 1})
    file.close()

    assert (tmp_path / "r").read_text() == '{"a":0}\n{"a":1}\n'


def test_a_partial_line_is_terminated(tmp_path: Path) -> None:
    """A partial line of an earlier run is terminated; the next record has its own line."""
    (tmp_path / "r").write_text('{"a":')
    file = RecordFile(tmp_path / "r")
    file.keep({"a": 1})
    file.close()

    assert (tmp_path / "r").read_text() == '{"a":\n{"a":1}\n'


def test_a_full_disk_leaves_no_partial_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk leaves no partial line; records written later are complete."""
    file = RecordFile(tmp_path / "r")

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", filling_up())
        file.keep({"a": 0})
    file.keep({"a": 1})
    file.close()

    assert (tmp_path / "r").read_text() == '{"a":1}\n'
    assert (file.written, file.dropped) == (1, 1)


def test_a_full_disk_drops_records_and_says_so_once(capsys: pytest.CaptureFixture[str]) -> None:
    """A full disk drops records and is reported once; no request waits."""
    file = RecordFile(Path("/dev/full"))
    file.keep({"a": 1})
    file.keep({"a": 2})

    assert (file.written, file.dropped) == (0, 2)
    stderr = capsys.readouterr().err
    assert stderr.startswith("antechamber record: /dev/full: No space left on device; records are")
    assert stderr.count("\n") == 1
    file.close()
