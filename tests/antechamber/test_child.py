"""Child processes on each system."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from antechamber import child
from tests.foreign_system import as_on

UNTIL_STDIN_CLOSES = "import sys; sys.stdin.read()"


def started(script: str) -> subprocess.Popen[bytes]:
    """Python with a script and a pipe as its stdin."""
    return subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE)


def test_posix_sends_sigterm() -> None:
    """The child's own session keeps Ctrl-C away from it."""
    assert child.detached() == {"start_new_session": True}
    with started(UNTIL_STDIN_CLOSES) as running:
        child.ask_to_end(running)
        assert running.wait() == -signal.SIGTERM


def test_windows_closes_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its `terminate` would give the child no time."""
    monkeypatch.setattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 512, raising=False)
    windows = as_on("win32", child.__name__)

    assert windows.detached() == {"creationflags": 512}
    with started(UNTIL_STDIN_CLOSES) as running:
        windows.ask_to_end(running)
        assert running.wait() == 0
