"""Records in a file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from recorder.record_file import RecordFile
from tests.full_disk import filling_up


def test_records_are_added_a_line_each(tmp_path: Path) -> None:
    """To what an earlier run has written."""
    (tmp_path / "r").write_text('{"a":0}\n')
    file = RecordFile(tmp_path / "r")
    file.keep({"a": 1})
    file.close()

    assert (tmp_path / "r").read_text() == '{"a":0}\n{"a":1}\n'


def test_a_line_that_was_torn_is_ended(tmp_path: Path) -> None:
    """An earlier run was killed in the middle of it; the next record has a line of its own."""
    (tmp_path / "r").write_text('{"a":')
    file = RecordFile(tmp_path / "r")
    file.keep({"a": 1})
    file.close()

    assert (tmp_path / "r").read_text() == '{"a":\n{"a":1}\n'


def test_a_disk_that_fills_up_leaves_no_half_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what comes when there is room again is whole, too."""
    file = RecordFile(tmp_path / "r")

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", filling_up())
        file.keep({"a": 0})
    file.keep({"a": 1})
    file.close()

    assert (tmp_path / "r").read_text() == '{"a":1}\n'
    assert (file.written, file.dropped) == (1, 1)


def test_a_full_disk_drops_records_and_says_so_once(capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody's request waits for a disk."""
    file = RecordFile(Path("/dev/full"))
    file.keep({"a": 1})
    file.keep({"a": 2})

    assert (file.written, file.dropped) == (0, 2)
    told = capsys.readouterr().err
    assert told.startswith("antechamber record: /dev/full: No space left on device; records are")
    assert told.count("\n") == 1
    file.close()
