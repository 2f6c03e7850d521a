"""``python -m antechamber``."""

from __future__ import annotations

import subprocess
import sys

import pytest

from antechamber import __main__


def test_the_module_runs_the_command() -> None:
    """The exit code of the module is that of the command."""
    ended = subprocess.run(
        [sys.executable, "-m", "antechamber", "nonsense"], capture_output=True, check=False
    )

    assert ended.returncode == 2


class Interrupting:
    """A finder of modules that raises KeyboardInterrupt for one module, as Ctrl-C does."""

    def __init__(self, name: str) -> None:
        self._name = name

    def find_spec(self, name: str, *_: object) -> None:
        """Find nothing."""
        if name == self._name:
            raise KeyboardInterrupt


def test_ctrl_c_during_the_import_of_the_command_line(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The exit code is 130, and there is no traceback."""
    monkeypatch.delitem(sys.modules, "antechamber.cli", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Interrupting("antechamber.cli"), *sys.meta_path])

    assert __main__.main() == 130
    assert capfd.readouterr().err == ""


def test_ctrl_c_during_the_import_of_a_command(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The exit code is 130, and there is no traceback."""
    name = "antechamber.commands.wheel"
    monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr(sys, "meta_path", [Interrupting(name), *sys.meta_path])
    monkeypatch.setattr(sys, "argv", ["antechamber", "wheel"])

    assert __main__.main() == 130
    assert capfd.readouterr().err == ""
