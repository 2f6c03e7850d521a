"""Programs on one core, so that the choices of the scheduler are not measured.

On two cores the processor time of a small produce is 80 or 125 us, depending on whether client and
broker are on the same one, and the scheduler moves them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def on_one_core() -> Iterator[None]:
    """Run this program, and those that it starts, on one core, where the system can do that."""
    if sys.platform != "linux":
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)
