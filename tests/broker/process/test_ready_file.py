"""The file that contains the addresses of a ready broker."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from broker.common.errors import StartupError
from broker.process.ready_file import ReadyFile

FACTS = {"bootstrap": "127.0.0.1:1", "admin": "http://127.0.0.1:2"}


def write_file_of(path: Path, pid: int) -> None:
    """Write the file of a broker process with that number."""
    path.write_text(json.dumps({**FACTS, "pid": pid}))


def test_the_file_contains_the_number_of_the_process(tmp_path: Path) -> None:
    """No other file remains in the directory."""
    path = tmp_path / "ready.json"

    ReadyFile(path).write(FACTS)

    assert json.loads(path.read_text()) == {**FACTS, "pid": os.getpid()}
    assert os.listdir(tmp_path) == ["ready.json"]


@pytest.mark.parametrize("pid", [1, os.getpid()], ids=["another process", "this process"])
def test_a_stale_file_is_removed_at_the_start(tmp_path: Path, pid: int) -> None:
    """The file may be of any broker, or missing."""
    path = tmp_path / "ready.json"
    write_file_of(path, pid)

    ReadyFile(path).clear()
    assert not path.exists()

    ReadyFile(path).clear()


@pytest.mark.parametrize("text", ["", "starting", "[]", '{"pid": 1}'])
def test_a_file_with_other_content_is_removed_at_the_start(tmp_path: Path, text: str) -> None:
    """A script may have created it to reserve the name."""
    path = tmp_path / "ready.json"
    path.write_text(text)

    ReadyFile(path).clear()

    assert not path.exists()


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_a_file_that_is_not_regular_is_not_removed(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    """The start is refused in one line."""
    path = tmp_path / "ready.json"
    make(path)

    with pytest.raises(StartupError, match=r"ready\.json exists and is not a regular file"):
        ReadyFile(path).clear()

    assert path.exists()


def test_the_file_is_removed_at_the_end_if_it_is_of_this_process(tmp_path: Path) -> None:
    """Another broker may have replaced it meanwhile."""
    path = tmp_path / "ready.json"
    ready = ReadyFile(path)
    ready.write(FACTS)
    ready.remove()
    assert not path.exists()
    ready.remove()

    write_file_of(path, os.getpid() + 1)
    ready.remove()

    assert path.exists()


def test_no_link_is_followed(tmp_path: Path) -> None:
    """Neither at the path of the file nor at that of the temporary file."""
    target, path = tmp_path / "target", tmp_path / "ready.json"
    target.write_text("kept")
    path.symlink_to(target)
    with pytest.raises(StartupError, match="is not a regular file"):
        ReadyFile(path).clear()
    path.unlink()
    (tmp_path / f"ready.json.{os.getpid()}.part").symlink_to(target)

    ReadyFile(path).write(FACTS)

    assert target.read_text() == "kept"
    assert not path.is_symlink()


def test_a_missing_directory_is_refused_in_one_line(tmp_path: Path) -> None:
    """It names the option, the file and the reason."""
    path = tmp_path / "no" / "ready.json"

    with pytest.raises(StartupError, match=r"--ready-file: cannot write .*: No such file"):
        ReadyFile(path).write(FACTS)
