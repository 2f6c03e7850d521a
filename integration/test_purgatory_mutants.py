"""The tests of `purgatories` detect each of 47 deliberate mistakes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from integration.purgatories.mutants import Mutant, mutants

pytestmark = pytest.mark.long

ROOT = Path(__file__).parent.parent
MUTANTS = list(mutants())


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package and its tests, which a mutant may change."""
    folder = tmp_path_factory.mktemp("mutants")
    ignore = shutil.ignore_patterns("__pycache__")
    for name in ("purgatories", "tests/purgatories"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignore)
    (folder / "conftest.py").write_text("import sys\nsys.path.insert(0, '.')\n")
    return folder


@pytest.mark.timeout(400)
@pytest.mark.parametrize("mutant", MUTANTS, ids=[each.rule for each in MUTANTS])
def test_the_tests_detect_a_mistake(mutant: Mutant, copy: Path) -> None:
    """With one rule broken, the named test file fails; the unbroken package passes it elsewhere."""
    broken = copy / "purgatories" / mutant.file
    source = broken.read_text()
    assert source.count(mutant.old) == 1
    broken.write_text(source.replace(mutant.old, mutant.new))
    try:
        assert _fails(copy, mutant.detected_by)
    finally:
        broken.write_text(source)


def _fails(copy: Path, test_file: str) -> bool:
    """Whether a test fails; an error in the collection is not a failure."""
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    command += ["--import-mode=importlib", f"tests/purgatories/{test_file}"]
    done = subprocess.run(
        command, cwd=copy, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED), done.stdout
    return done.returncode == pytest.ExitCode.TESTS_FAILED
