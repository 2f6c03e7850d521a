"""``python -m antechamber``."""

from __future__ import annotations

import subprocess
import sys


def test_the_module_runs_the_command() -> None:
    """The exit code of the module is that of the command."""
    ended = subprocess.run(
        [sys.executable, "-m", "antechamber", "nonsense"], capture_output=True, check=False
    )

    assert ended.returncode == 2
