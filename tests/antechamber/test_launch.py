"""The broker's process finds its rooms and libraries, and nothing of the user's."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from antechamber.process import SEARCH_PATH_VARIABLE, command

MARKER = "the user's own code ran"


def launched(folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the launcher as the user would in *folder*; --help shows that the broker answers."""
    return subprocess.run(
        command(["--help"]),
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A folder with packages of our names in it."""
    for room in ("broker", "protocol", "purgatories", "argparse"):
        (tmp_path / room).mkdir()
        (tmp_path / room / "__init__.py").write_text(f"raise SystemExit({MARKER!r})")
    return tmp_path


def test_a_broker_package_in_the_working_directory_is_not_picked_up(hostile: Path) -> None:
    """A user may well have a folder named broker."""
    ended = launched(hostile)

    assert MARKER not in ended.stderr
    assert ended.stdout.startswith("usage: antechamber serve")


def test_a_broker_package_on_pythonpath_is_not_picked_up(hostile: Path) -> None:
    """Neither by PYTHONPATH, nor by the folders handed over."""
    ended = launched(hostile, PYTHONPATH=str(hostile), **{SEARCH_PATH_VARIABLE: str(hostile)})

    assert MARKER not in ended.stderr
    assert ended.stdout.startswith("usage: antechamber serve")


def test_libraries_that_only_the_starting_interpreter_sees_are_found(tmp_path: Path) -> None:
    """As with pip install --user, which isolation would hide."""
    (tmp_path / "only_here.py").write_text("")
    script = Path(command([])[2])
    code = (
        f"import sys; sys.path.insert(0, {str(script.parent)!r}); import launch, importlib\n"
        "importlib.import_module = lambda name: sys.modules[__name__]\n"
        "def main(): import only_here; return 7\n"
        "sys.exit(launch.main())\n"
    )
    ended = subprocess.run(
        [sys.executable, "-I", "-c", code, "broker"],
        env={**os.environ, SEARCH_PATH_VARIABLE: str(tmp_path)},
        check=False,
    )

    assert ended.returncode == 7
