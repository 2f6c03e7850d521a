"""The lock of a data directory, with the calls of each system."""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from broker.storage.files import file_lock
from tests.foreign_system import as_on


def windows(error: int | None) -> tuple[list[tuple[int, int, int]], object]:
    """The module with a replaced `msvcrt`, whose call fails with *error*, and these calls."""
    calls: list[tuple[int, int, int]] = []

    def locking(*call: int) -> None:
        calls.append(call)  # type: ignore[arg-type]  # three numbers
        if error is not None:
            raise OSError(error, os.strerror(error))

    msvcrt = SimpleNamespace(locking=locking, LK_NBLCK=2)
    return calls, as_on("win32", file_lock.__name__, {"msvcrt": msvcrt, "fcntl": None}).try_lock


def test_a_file_is_locked_for_other_processes(tmp_path: Path) -> None:
    """Their attempt fails at once."""
    with (tmp_path / "lock").open("wb") as file:
        assert file_lock.try_lock(file.fileno())
        child = os.fork()
        if not child:
            with (tmp_path / "lock").open("wb") as again:
                os._exit(int(file_lock.try_lock(again.fileno())))
        assert os.waitpid(child, 0)[1] == 0


def test_windows_locks_one_byte_without_waiting() -> None:
    """With `msvcrt`, because `fcntl` does not exist there."""
    calls, try_lock = windows(None)

    assert try_lock(7)  # type: ignore[operator]  # it is a function
    assert calls == [(7, 2, 1)]


def test_windows_reports_a_held_lock() -> None:
    """Its error is EACCES."""
    _, try_lock = windows(errno.EACCES)

    assert not try_lock(7)  # type: ignore[operator]  # it is a function


def test_another_error_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system may not have locks."""

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "lockf", refuse)

    with pytest.raises(OSError, match="No locks available"):
        file_lock.try_lock(7)
