"""The file to which wait records are written."""

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
    """At most three files of ten bytes each."""
    return RecordsFile(path, bytes_max=10, files_max=3)


async def test_lines_are_appended(tmp_path: Path) -> None:
    """After the existing content of the file, at each flush."""
    path = tmp_path / "r"
    path.write_bytes(b"before\n")
    file = RecordsFile(path)
    file.add([b"a", b"b"])
    assert path.read_bytes() == b"before\n"

    await file.flush()

    assert path.read_bytes() == b"before\na\nb\n"
    assert file.statistics() == {"sink": "file", "path": str(path), "written": 2, "dropped": 0}


def test_lines_are_written_in_another_form(tmp_path: Path) -> None:
    """*written* returns the line of the file for each record."""
    file = RecordsFile(tmp_path / "r", written=bytes.upper)
    file.add([b"a", b"b"])
    file.close()

    assert (tmp_path / "r").read_bytes() == b"A\nB\n"


def test_a_full_file_is_renamed(tmp_path: Path) -> None:
    """The newest lines are in the file of that name, and the oldest are deleted."""
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
    """A second close writes nothing."""
    file = RecordsFile(tmp_path / "r")
    file.add([b"a"])
    file.close()
    file.close()

    assert (tmp_path / "r").read_bytes() == b"a\n"


def test_half_a_line_is_ended(tmp_path: Path) -> None:
    """A process that was killed has left it; the next record begins on a new line."""
    path = tmp_path / "r"
    path.write_bytes(b'{"half')
    file = RecordsFile(path)
    file.add([b"a"])
    file.close()

    assert path.read_bytes() == b'{"half\na\n'


async def test_a_full_disk_drops_records_and_logs_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The file has no half line, and is written again when there is space."""
    path = tmp_path / "r"
    file = RecordsFile(path)

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", filling_up())
        for _ in range(2):
            file.add([b"abc", b"d"])
            await file.flush()
    assert path.read_bytes() == b""
    [line] = [each.message for each in caplog.records]
    assert line == (
        f"--records: cannot write {path}, records are dropped until it succeeds: "
        "No space left on device"
    )

    file.add([b"e"])
    file.close()
    assert path.read_bytes() == b"e\n"
    assert (file.statistics()["written"], file.statistics()["dropped"]) == (1, 4)


def _refusal(path: Path) -> str:
    """The message with which a path is refused."""
    with pytest.raises(StartupError) as refused:
        RecordsFile(path)
    return str(refused.value)


def test_a_file_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    """The one line names the file, the reason and the remedy."""
    remedy = "name a regular file in an existing directory that you may write to"
    assert _refusal(tmp_path) == f"--records: cannot write {tmp_path}: Is a directory; {remedy}"
    missing = tmp_path / "missing" / "r"
    assert _refusal(missing) == (
        f"--records: cannot write {missing}: No such file or directory; {remedy}"
    )


def test_pipes_and_devices_are_refused(tmp_path: Path) -> None:
    """A write to a pipe without a reader blocks; a device must not be renamed."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    assert f"cannot write {pipe}: Not a regular file; " in _refusal(pipe)
    assert "cannot write /dev/null: Not a regular file; " in _refusal(Path("/dev/null"))
