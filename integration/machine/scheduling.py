"""The kernel's scheduling figures of a process: its time on a processor and waiting for one.

On a busy machine a client and a broker measure different durations because one of them was not
scheduled. These figures, in nanoseconds over all threads, show whether that is the reason.
"""

from __future__ import annotations

from pathlib import Path


def on_cpu_ns(pid: int | str) -> int:
    """The running time of its threads."""
    return _total(pid, 0)


def run_delay_ns(pid: int | str) -> int:
    """The time in which its threads were runnable but not running."""
    return _total(pid, 1)


def _total(pid: int | str, column: int) -> int:
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[column]) for task in tasks)
