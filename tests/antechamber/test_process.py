"""The command and the environment of the broker's process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from antechamber import process
from antechamber.process import SEARCH_PATH_VARIABLE, command, environment
from tests.foreign_system import as_on

_INTERRUPTED = """
import os, signal, sys
from antechamber.process import become, command, environment

# A process in the background ignores it.
signal.signal(signal.SIGINT, signal.default_int_handler)
execve = os.execve
def interrupted(*arguments):
    signal.raise_signal(signal.SIGINT)
    execve(*arguments)

os.execve = interrupted
become(command(["--help"]), environment(os.environ))
"""


def test_the_process_is_isolated() -> None:
    """The option -I precedes the script, so that no module of the user's is imported first."""
    interpreter, isolated, script, *rest = command(["--port", "0"])

    assert (interpreter, isolated, rest) == (sys.executable, "-I", ["broker", "--port", "0"])
    assert Path(script).name == "launch.py"


def test_the_search_path_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """All folders of this interpreter's path are passed on, except the working directory."""
    monkeypatch.setattr(sys, "path", ["", os.getcwd(), "/opt/libraries"])

    assert environment({"A": "1"}) == {"A": "1", SEARCH_PATH_VARIABLE: "/opt/libraries"}


def test_without_exec_the_command_is_a_child() -> None:
    """As on Windows; its exit code is returned."""
    windows = as_on("win32", process.__name__, without={os: ("execve",)})

    assert windows.become([sys.executable, "-c", "raise SystemExit(7)"], os.environ) == 7


def test_ctrl_c_ends_the_child_and_not_the_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """The child gets it from the terminal."""
    windows = as_on("win32", process.__name__)
    interrupted = iter([True, False])
    wait = subprocess.Popen.wait

    def interrupted_once(child: subprocess.Popen[bytes], timeout: float | None = None) -> int:
        if next(interrupted, False):
            raise KeyboardInterrupt
        return wait(child, timeout)

    monkeypatch.setattr(subprocess.Popen, "wait", interrupted_once)

    assert windows.become([sys.executable, "-c", ""], os.environ) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no exec")
def test_ctrl_c_before_python_has_started_again() -> None:
    """The exit code is 130, and there is no traceback."""
    ended = subprocess.run(
        [sys.executable, "-c", _INTERRUPTED], capture_output=True, text=True, check=False
    )

    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")
