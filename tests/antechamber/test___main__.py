"""``python -m antechamber``."""

from __future__ import annotations

import subprocess
import sys


def test_the_module_is_the_command() -> None:
    """The exit code is the command's."""
    ended = subprocess.run(
        [sys.executable, "-m", "antechamber", "nonsense"], capture_output=True, check=False
    )

    assert ended.returncode == 2
