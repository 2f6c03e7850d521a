"""The command and the environment of the broker's process."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from antechamber.process import SEARCH_PATH_VARIABLE, command, environment


def test_the_process_is_isolated() -> None:
    """The option -I precedes the script, so that no module of the user's is imported first."""
    interpreter, isolated, script, *rest = command(["--port", "0"])

    assert (interpreter, isolated, rest) == (sys.executable, "-I", ["broker", "--port", "0"])
    assert Path(script).name == "launch.py"


def test_the_search_path_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """All folders of this interpreter's path are passed on, except the working directory."""
    monkeypatch.setattr(sys, "path", ["", os.getcwd(), "/opt/libraries"])

    assert environment({"A": "1"}) == {"A": "1", SEARCH_PATH_VARIABLE: "/opt/libraries"}
