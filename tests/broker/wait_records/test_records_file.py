"""The file of wait records."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import trio

from broker.common.errors import StartupError
from broker.wait_records.records_file import RecordsFile
from tests.full_disk import filling_up

pytestmark = pytest.mark.anyio


def _records(path: Path) -> RecordsFile:
    return RecordsFile(path, bytes_max=10, files_max=3)


async def test_lines_are_appended(tmp_path: Path) -> None:
    """Behind what was there, and when they are flushed."""
    path = tmp_path / "r"
    path.write_bytes(b"before\n")
    file = RecordsFile(path)
    file.add([b"a", b"b"])
    assert path.read_bytes() == b"before\n"

    await file.flush()

    assert path.read_bytes() == b"before\na\nb\n"
    assert file.statistics() == {"sink": "file", "path": str(path), "written": 2, "dropped": 0}


def test_a_full_file_is_renamed(tmp_path: Path) -> None:
    """The newest lines are in the file itself, the oldest are gone."""
    path = tmp_path / "r"
    file = _records(path)
    for line in (b"first", b"second", b"third", b"fourth", b"5"):
        file.add([line])
        trio.run(file.flush)
    file.close()

    assert path.read_bytes() == b"fourth\n5\n"
    assert (tmp_path / "r.1").read_bytes() == b"third\n"
    assert (tmp_path / "r.2").read_bytes() == b"second\n"
    assert len(list(tmp_path.iterdir())) == 3


def test_closing_writes_what_is_left(tmp_path: Path) -> None:
    """Once, however often it is closed."""
    file = RecordsFile(tmp_path / "r")
    file.add([b"a"])
    file.close()
    file.close()

    assert (tmp_path / "r").read_bytes() == b"a\n"


def test_a_torn_line_is_ended(tmp_path: Path) -> None:
    """Left by a process that was killed; the next record has a line of its own."""
    path = tmp_path / "r"
    path.write_bytes(b'{"torn')
    file = RecordsFile(path)
    file.add([b"a"])
    file.close()

    assert path.read_bytes() == b'{"torn\na\n'


async def test_a_full_disk_costs_records_and_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """No half line stays, and writing goes on when it can."""
    path = tmp_path / "r"
    file = RecordsFile(path)

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", filling_up())
        for _ in range(2):
            file.add([b"abc", b"d"])
            await file.flush()
    assert path.read_bytes() == b""
    [line] = [each.message for each in caplog.records]
    told = f"--records: {path} cannot be written, records are dropped until it can"
    assert line == f"{told}: No space left on device"

    file.add([b"e"])
    file.close()
    assert path.read_bytes() == b"e\n"
    assert (file.statistics()["written"], file.statistics()["dropped"]) == (1, 4)


def _refusal(path: Path) -> str:
    with pytest.raises(StartupError) as refused:
        RecordsFile(path)
    return str(refused.value)


def test_a_file_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    """In one line, before anything else is started."""
    remedy = "give a file of your own, in a folder that is there"
    assert _refusal(tmp_path) == f"--records: cannot write {tmp_path}: Is a directory; {remedy}"
    missing = tmp_path / "missing" / "r"
    assert _refusal(missing) == (
        f"--records: cannot write {missing}: No such file or directory; {remedy}"
    )


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    """A pipe that nobody reads would hold up the stop; a device must not be renamed."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    assert f"cannot write {pipe}: Not a regular file; " in _refusal(pipe)
    assert "cannot write /dev/null: Not a regular file; " in _refusal(Path("/dev/null"))
