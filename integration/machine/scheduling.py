"""The kernel's scheduling figures: how long threads ran, and how long they waited for a processor.

On a busy machine a client and a broker measure different durations because one of them was not
scheduled. These figures, in nanoseconds, show whether that is the reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple


class Scheduled(NamedTuple):
    """The time for which a thread ran, and the time for which it was runnable but did not run.

    The kernel adds a time when the thread begins or ends to run.
    """

    ran_ns: int
    waited_ns: int


def of_threads(pid: int | str) -> dict[str, Scheduled]:
    """The figures of each thread of a process, by thread id."""
    return {task.name: _read(task) for task in Path(f"/proc/{pid}/task").iterdir()}


def of_kernel_threads() -> dict[str, Scheduled]:
    """The figures of the threads that deliver received data when a processor has much of it.

    In a container with process ids of its own there are none.
    """
    return {task.name: _read(task) for task in _ksoftirqd()}


def on_cpu_ns(pid: int | str) -> int:
    """The time for which the threads of a process ran."""
    return sum(thread.ran_ns for thread in of_threads(pid).values())


@cache
def _ksoftirqd() -> list[Path]:
    return [path for path in _processes() if _name(path).startswith("ksoftirqd/")]


def _processes() -> Iterator[Path]:
    return (path for path in Path("/proc").iterdir() if path.name.isdigit())


def _name(process: Path) -> str:
    try:
        return (process / "comm").read_text()
    except (FileNotFoundError, ProcessLookupError):  # it ended
        return ""


def _read(task: Path) -> Scheduled:
    ran, waited, _ = (task / "schedstat").read_text().split()
    return Scheduled(int(ran), int(waited))
