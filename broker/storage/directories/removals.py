"""Removes the directories of deleted partitions in a thread, many in one run.

After the deletion of a topic of a thousand partitions, all its directories are due at the same
time. A task and a run of a thread for each would block the event loop for a second.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial

from broker.storage.files.blocking_work import BlockingWork

DIRECTORIES_PER_RUN = 50

Remove = Callable[[], None]


class Removals:
    """Runs the added removals in order, in one thread at a time."""

    def __init__(self, blocking_work: BlockingWork) -> None:
        self._blocking_work = blocking_work
        self._due: deque[Remove] = deque()
        self._is_running = False

    def add(self, remove: Remove) -> None:
        """Run *remove* soon."""
        self._due.append(remove)
        if not self._is_running:
            self._run_next(None)

    def _run_next(self, _failure: OSError | None) -> None:
        some = [self._due.popleft() for _ in range(min(DIRECTORIES_PER_RUN, len(self._due)))]
        self._is_running = bool(some)
        if some:
            self._blocking_work.run(partial(_run_all, some), self._run_next)


def _run_all(removals: Sequence[Remove]) -> None:
    for remove in removals:
        remove()
