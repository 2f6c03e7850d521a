"""The launcher finds its packages and dependencies, and imports no file of the user's."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from antechamber.process import SEARCH_PATH_VARIABLE, command

MARKER = "the user's own code ran"


def launched(folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the launcher in *folder* as a user would; --help shows that the package runs."""
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
    """A folder that contains packages with the names of ours."""
    for package in ("broker", "protocol", "purgatories", "argparse"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text(f"raise SystemExit({MARKER!r})")
    return tmp_path


def test_a_broker_package_in_the_working_directory_is_ignored(hostile: Path) -> None:
    """A user may have a folder named broker."""
    ended = launched(hostile)

    assert MARKER not in ended.stderr
    assert ended.stdout.startswith("usage: antechamber serve")


def test_a_broker_package_on_pythonpath_is_ignored(hostile: Path) -> None:
    """It is ignored in PYTHONPATH and in the search path that is passed on."""
    ended = launched(hostile, PYTHONPATH=str(hostile), **{SEARCH_PATH_VARIABLE: str(hostile)})

    assert MARKER not in ended.stderr
    assert ended.stdout.startswith("usage: antechamber serve")


def test_libraries_of_the_starting_interpreter_are_found(tmp_path: Path) -> None:
    """After pip install --user, isolation would hide them."""
    (tmp_path / "only_here.py").write_text("")
    script = Path(command([])[2])
    code = (
        f"import sys; sys.path.insert(0, {str(script.parent)!r}); import launch, importlib\n"
        "find, here = importlib.import_module, sys.modules[__name__]\n"
        "importlib.import_module = lambda n: here if n == 'broker.__main__' else find(n)\n"
        "def main(): import only_here; return 7\n"
        "sys.exit(launch.main())\n"
    )
    ended = subprocess.run(
        [sys.executable, "-I", "-c", code, "broker"],
        env={**os.environ, SEARCH_PATH_VARIABLE: str(tmp_path)},
        check=False,
    )

    assert ended.returncode == 7


@pytest.mark.parametrize("form", ["--ready-file {}", "--ready-file={}"])
def test_the_ready_file_of_an_earlier_broker_is_removed_first(form: str, tmp_path: Path) -> None:
    """Before any import of the broker; a file with another content is not touched."""
    old, other = tmp_path / "ready.json", tmp_path / "notes.json"
    old.write_text('{"bootstrap": "127.0.0.1:9092", "admin": "", "pid": 1}')
    other.write_text("{}")
    for path in (old, other):
        words = [*form.format(path).split(), "--help"]
        subprocess.run(command(words), capture_output=True, check=True)

    assert not old.exists()
    assert other.exists()
