"""What the broker runs while a profiled build is made (`compiling.workload`)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from integration.machine.deadlines import ENDS_WITHIN_S

ROOT = Path(__file__).parent.parent
REQUESTS = "40"


def test_no_request_of_the_workload_is_refused() -> None:
    """It ends at the first error of a response."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "compiling.workload", REQUESTS],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=ENDS_WITHIN_S,
        check=False,
    )

    assert done.returncode == 0, done.stderr
