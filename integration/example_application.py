"""The tests of the example application, in a process of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from integration.machine.deadlines import ENDS_WITHIN_S

ROOT = Path(__file__).parent.parent
APPLICATION = ROOT / "examples" / "application"


def run_tests(*files: str, **variables: str) -> str:
    """Run test files of the application, which must pass, and return the output."""
    done = completed_tests(*files, **variables)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def completed_tests(*files: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run test files of the application, and return the process, which has ended."""
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir=.", *files],
        cwd=APPLICATION,
        env={**os.environ, "PYTHONPATH": str(ROOT), **variables},
        capture_output=True,
        text=True,
        timeout=ENDS_WITHIN_S,
        check=False,
    )
