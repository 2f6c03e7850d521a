"""The tests of `purgatories` pass on CPython without its global interpreter lock (PEP 703).

There the threads of the stress tests run at the same time.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from integration.machine.requirements import need

ROOT = Path(__file__).parent.parent
NAMES = ("python3.14t", "python3.13t")
PACKAGES = ("pytest>=9", "pytest-timeout", "hypothesis", "trio", "anyio")
STRESS_RUNS = 5  # each from another seed


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment with the packages that the tests import."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    need("free-threaded", None if found else f"none of {', '.join(NAMES)} on the PATH")
    assert found is not None
    environment = tmp_path_factory.mktemp("environment")
    _run(found, "-m", "venv", environment)
    python = environment / "bin" / "python"
    pip = (python, "-m", "pip", "--disable-pip-version-check", "--quiet")
    # The newest hypothesis is compiled and has no wheel for 3.13t; an older one is pure Python.
    _run(*pip, "install", "--only-binary", ":all:", *PACKAGES)
    assert _run(python, "-c", "import sys; print(sys._is_gil_enabled())") == "False\n"
    return python


@pytest.mark.timeout(900)
def test_all_tests_of_purgatories_pass(python: Path) -> None:
    """Among them every interleaving of two actions on one operation."""
    assert " passed" in _run(python, "-m", "pytest", *_OPTIONS, "tests/purgatories")


@pytest.mark.timeout(900)
def test_the_stress_test_passes_repeatedly(python: Path) -> None:
    """Eight threads on several cores, each time from another seed."""
    for _ in range(STRESS_RUNS):
        stress = "tests/purgatories/test_stress.py"
        assert " passed" in _run(python, "-m", "pytest", *_OPTIONS, stress)


_OPTIONS = ("-q", "-x", "-p", "no:cacheprovider")


def _run(*command: object) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        cwd=ROOT,
        env={**os.environ, "PYTHON_GIL": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
