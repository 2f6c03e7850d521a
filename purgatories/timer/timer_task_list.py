"""A bucket of the timing wheel: the entries that expire in one interval.

    +--------------------------------------------------------+
    +-> root <--> entry <--> entry <--> entry <--------------+     next ->
         |first in                  last in|                       <- prev
         expiration_ticks: when it fires; -1 while it is not queued

A cyclic doubly linked list with a dummy root: every entry has two neighbours, so linking and
unlinking have no special cases and are O(1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .task_counter import TaskCounter
from .timer_task import TimerTask
from .timer_task_entry import TimerTaskEntry


class TimerTaskList:
    """A first-in, first-out list; callers of all methods but `remove` hold the counter's lock."""

    __slots__ = ("_root", "counter", "expiration_ticks")

    def __init__(self, counter: TaskCounter) -> None:
        self.counter = counter
        self.expiration_ticks = -1
        self._root = root = TimerTaskEntry(TimerTask(-1), -1)
        root.next = root.prev = root

    def set_expiration(self, expiration_ticks: int) -> bool:
        """Set when the bucket fires; returns whether that has changed."""
        if self.expiration_ticks == expiration_ticks:
            return False
        self.expiration_ticks = expiration_ticks
        return True

    def add(self, entry: TimerTaskEntry) -> None:
        """Append *entry*; it is new or, during a flush, counted already."""
        if entry.list is None:
            self.counter.value += 1
        root = self._root
        tail = root.prev
        entry.list = self
        entry.next = root
        entry.prev = tail
        tail.next = root.prev = entry

    def remove(self, entry: TimerTaskEntry) -> None:
        """Unlink *entry* if it is in this list; acquires the lock itself."""
        with self.counter.lock:
            if entry.list is self:
                self.unlink(entry)

    def unlink(self, entry: TimerTaskEntry) -> None:
        """Unlink *entry*, which is in this list."""
        following, preceding = entry.next, entry.prev
        following.prev = preceding
        preceding.next = following
        entry.list = None
        del entry.next, entry.prev  # a task must not keep the neighbours alive
        self.counter.value -= 1

    def flush(self, place: Callable[[TimerTaskEntry], bool]) -> list[TimerTaskEntry]:
        """Empty the list and prepare it for its next interval.

        *place* moves an entry to another list and returns True, or returns False; the entries with
        False are returned. An entry's list is never None in between: a thread that cancels it waits
        for the lock and then finds its new list.
        """
        root = self._root
        entry = root.next
        root.next = root.prev = root
        self.expiration_ticks = -1
        refused = []
        demotions = 0
        while entry is not root:
            following = entry.next
            if place(entry):
                demotions += 1
            else:
                entry.list = None
                del entry.next, entry.prev  # a task must not keep the neighbours alive
                refused.append(entry)
            entry = following
        self.counter.value -= len(refused)
        self.counter.demotions += demotions
        return refused

    def __iter__(self) -> Iterator[TimerTask]:
        """Iterate over the tasks that are not cancelled; the body may cancel the current one."""
        entry = self._root.next
        while entry is not self._root:
            following = entry.next
            if not entry.is_cancelled:
                yield entry.task
            entry = following
