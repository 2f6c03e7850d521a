"""Folders of deleted partitions, removed in a thread, a few at a time.

When a topic of a thousand partitions is deleted, all of its folders are due at the same moment. A
task and a thread's turn for each would keep the loop busy for a second.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial

from broker.storage.background import Background

FOLDERS_AT_ONCE = 50

Remove = Callable[[], None]


class Removals:
    """Runs what is added, in order, one thread's work after the other."""

    def __init__(self, background: Background) -> None:
        self._background = background
        self._due: deque[Remove] = deque()
        self._is_running = False

    def add(self, remove: Remove) -> None:
        """Remove a folder soon."""
        self._due.append(remove)
        if not self._is_running:
            self._run_next(None)

    def _run_next(self, _failure: OSError | None) -> None:
        some = [self._due.popleft() for _ in range(min(FOLDERS_AT_ONCE, len(self._due)))]
        self._is_running = bool(some)
        if some:
            self._background.run(partial(_run_all, some), self._run_next)


def _run_all(removals: Sequence[Remove]) -> None:
    for remove in removals:
        remove()
