"""A bucket of the timing wheel: the entries that share one stretch of time.

    +--------------------------------------------------------+
    +-> root <--> entry <--> entry <--> entry <--------------+     next ->
         |first in                  last in|                       <- prev
         expiration_ms: when the bucket fires; -1 while it is in no queue

A cyclic doubly linked list with a dummy root: every entry has two neighbours, so that linking and
unlinking know no special cases and cost the same for one entry and for a million.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .task_counter import TaskCounter
from .timer_task import TimerTask
from .timer_task_entry import TimerTaskEntry


class TimerTaskList:
    """First in, first out; every call but `remove` under the counter's lock."""

    __slots__ = ("_root", "counter", "expiration_ms")

    def __init__(self, counter: TaskCounter) -> None:
        self.counter = counter
        self.expiration_ms = -1
        self._root = root = TimerTaskEntry(TimerTask(-1), -1)
        root.next = root.prev = root

    def set_expiration(self, expiration_ms: int) -> bool:
        """Set when the bucket fires; says whether that is news."""
        if self.expiration_ms == expiration_ms:
            return False
        self.expiration_ms = expiration_ms
        return True

    def add(self, entry: TimerTaskEntry) -> None:
        """Append *entry*, which is new, or comes out of a flush and is counted already."""
        if entry.list is None:
            self.counter.value += 1
        root = self._root
        tail = root.prev
        entry.list = self
        entry.next = root
        entry.prev = tail
        tail.next = root.prev = entry

    def remove(self, entry: TimerTaskEntry) -> None:
        """Unlink *entry* if it is in this list; takes the lock itself."""
        with self.counter.lock:
            if entry.list is self:
                following, preceding = entry.next, entry.prev
                following.prev = preceding
                preceding.next = following
                entry.list = None
                self.counter.value -= 1

    def flush(self, place: Callable[[TimerTaskEntry], bool]) -> list[TimerTaskEntry]:
        """Empty the list and be ready for the next turn of the wheel.

        Each entry goes to *place*, which says whether it is in another list now; returns those that
        are not. An entry's list is never None on the way: who cancels it waits for the lock, and
        then finds it where it went.
        """
        root = self._root
        entry = root.next
        root.next = root.prev = root
        self.expiration_ms = -1
        refused = []
        while entry is not root:
            following = entry.next
            if not place(entry):
                entry.list = None
                entry.next = entry.prev = root  # who keeps the task must not keep its neighbours
                refused.append(entry)
            entry = following
        self.counter.value -= len(refused)
        return refused

    def __iter__(self) -> Iterator[TimerTask]:
        """Walk the tasks that are not cancelled; one may be cancelled when it is its turn."""
        entry = self._root.next
        while entry is not self._root:
            following = entry.next
            if not entry.is_cancelled:
                yield entry.task
            entry = following
