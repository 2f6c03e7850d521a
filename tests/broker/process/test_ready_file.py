"""The file that says that the broker is ready."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from broker.common.errors import StartupError
from broker.process.ready_file import ReadyFile

FACTS = {"bootstrap": "127.0.0.1:1", "admin": "http://127.0.0.1:2"}


def left_by(path: Path, pid: int) -> None:
    """A file that a broker of that number has left."""
    path.write_text(json.dumps({**FACTS, "pid": pid}))


def test_it_is_written_with_this_process(tmp_path: Path) -> None:
    """And nothing else is left beside it."""
    path = tmp_path / "ready.json"

    ReadyFile(path).write(FACTS)

    assert json.loads(path.read_text()) == {**FACTS, "pid": os.getpid()}
    assert os.listdir(tmp_path) == ["ready.json"]


@pytest.mark.parametrize("pid", [1, os.getpid()])
def test_a_stale_file_is_removed_at_the_start(tmp_path: Path, pid: int) -> None:
    """Whichever broker has left it; without a file there is nothing to do."""
    path = tmp_path / "ready.json"
    left_by(path, pid)

    ReadyFile(path).clear()
    assert not path.exists()

    ReadyFile(path).clear()


@pytest.mark.parametrize("text", ["", "starting", "[]", '{"pid": 1}'])
def test_a_file_that_a_script_has_made_is_removed_at_the_start(tmp_path: Path, text: str) -> None:
    """Whatever is in it: its user has named it as the place for this one."""
    path = tmp_path / "ready.json"
    path.write_text(text)

    ReadyFile(path).clear()

    assert not path.exists()


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_what_is_no_regular_file_stays(tmp_path: Path, make: Callable[[Path], None]) -> None:
    """The start is refused in one line."""
    path = tmp_path / "ready.json"
    make(path)

    with pytest.raises(StartupError, match=r"ready\.json is there and is no regular file"):
        ReadyFile(path).clear()

    assert path.exists()


def test_the_file_is_removed_in_the_end_if_it_is_ours(tmp_path: Path) -> None:
    """Another broker may have replaced it meanwhile."""
    path = tmp_path / "ready.json"
    ready = ReadyFile(path)
    ready.write(FACTS)
    ready.remove()
    assert not path.exists()
    ready.remove()

    left_by(path, os.getpid() + 1)
    ready.remove()

    assert path.exists()


def test_no_link_is_followed(tmp_path: Path) -> None:
    """Neither that of the file nor one in the place of the temporary file."""
    target, path = tmp_path / "target", tmp_path / "ready.json"
    target.write_text("kept")
    path.symlink_to(target)
    with pytest.raises(StartupError, match="is no regular file"):
        ReadyFile(path).clear()
    path.unlink()
    (tmp_path / f"ready.json.{os.getpid()}.part").symlink_to(target)

    ReadyFile(path).write(FACTS)

    assert target.read_text() == "kept"
    assert not path.is_symlink()


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    """One line that names the option, the file and the reason."""
    path = tmp_path / "no" / "ready.json"

    with pytest.raises(StartupError, match=r"--ready-file: cannot write .*: No such file"):
        ReadyFile(path).write(FACTS)
