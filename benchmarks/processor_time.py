"""The processor time of a process, to the nanosecond where the system has it."""

from __future__ import annotations

import sys
import time

import psutil  # type: ignore[import-untyped]  # it has no types

_SCHEDULED = 2  # the clock of the scheduler, see clock_getcpuclockid(3)


def processor_seconds(pid: int) -> float:
    """The time for which the threads of a process ran, also those that have ended."""
    if sys.platform == "linux":
        return time.clock_gettime(~pid << 3 | _SCHEDULED)
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)
