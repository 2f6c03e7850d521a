"""`purgatories` as a package of its own: it builds, installs alone, and passes its tests."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from integration.machine.archives import unpack

ROOT = Path(__file__).parent.parent
README = (ROOT / "purgatories" / "README.md").read_text()
# A tenth of the tests of interleavings. All of them run for the same source in tests/purgatories.
SELECTED = "not test_interleavings or abandon"
OPERATION, *EXAMPLES = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


class Installed(NamedTuple):
    """The interpreter of an environment with the package, and its unpacked source distribution."""

    python: Path
    source: Path


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel, built from the source distribution, in an environment without any dependency."""
    dist, environment = tmp_path_factory.mktemp("dist"), tmp_path_factory.mktemp("environment")
    _run(sys.executable, "-m", "build", "--outdir", dist, ROOT / "purgatories")
    (wheel,), (sdist,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    _run(sys.executable, "-m", "venv", environment)
    python = environment / "bin" / "python"
    _run(python, "-m", "pip", "--disable-pip-version-check", "--quiet", "install", wheel)
    unpack(sdist, dist)
    return Installed(python, dist / sdist.name.removesuffix(".tar.gz"))


def test_it_needs_no_other_package(installed: Installed) -> None:
    """Every module except those for trio can be imported; pip lists nothing else."""
    listed = _run(installed.python, "-m", "pip", "list", "--format=freeze").splitlines()
    assert {line.split("==")[0] for line in listed} <= {"pip", "setuptools", "purgatories"}
    modules = [
        ".".join(("purgatories", *path.relative_to(ROOT / "purgatories").with_suffix("").parts))
        for path in sorted((ROOT / "purgatories").rglob("*.py"))
        if path.stem not in ("__init__", "trio_reaper", "alarm", "timerfd_alarm")
    ]
    assert len(modules) > 20
    _run(installed.python, "-I", "-c", f"import {', '.join(modules)}")


@pytest.mark.timeout(600)
def test_it_passes_its_own_tests(installed: Installed) -> None:
    """The tests of the source distribution pass against the installed package."""
    pip = (installed.python, "-m", "pip", "--disable-pip-version-check", "--quiet")
    _run(*pip, "install", "pytest", "hypothesis", "trio", "anyio")
    (installed.source / "conftest.py").write_text(
        "import sys\nsys.path.insert(0, '.')\n"
        "import purgatories\nassert 'site-packages' in purgatories.__file__\n"
    )
    command = (installed.python, "-m", "pytest", "-q", "--import-mode=importlib", "tests")
    assert " passed" in _run(*command, "-k", SELECTED, folder=installed.source)


@pytest.mark.parametrize("example", EXAMPLES, ids=["threads", "asyncio", "trio"])
def test_an_example_of_the_readme_prints_what_its_comment_states(example: str) -> None:
    """Each example completes its operation and prints the result."""
    (expected,) = re.findall(r'# prints "(\w+)"', example)
    assert _run(sys.executable, "-c", OPERATION + example) == f"{expected}\n"


def _run(*command: object, folder: Path = ROOT) -> str:
    words = [str(part) for part in command]
    # PYTHONPATH names the compiled build where that is tested.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        words, cwd=folder, capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
