"""What the kernel says of a process's turns: time on a processor, and time it waited for one.

On a busy machine a client and a broker disagree about a duration because one of them was not given
a processor. These figures, in nanoseconds and of all threads, tell that from a real disagreement.
"""

from __future__ import annotations

from pathlib import Path


def on_cpu_ns(pid: int | str) -> int:
    """How long its threads have run."""
    return _total(pid, 0)


def run_delay_ns(pid: int | str) -> int:
    """How long its threads could have run and were not let."""
    return _total(pid, 1)


def _total(pid: int | str, column: int) -> int:
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[column]) for task in tasks)
