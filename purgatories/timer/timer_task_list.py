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
    """First in, first out. ``remove`` takes the counter's lock; all else is called under it."""

    __slots__ = ("_counter", "_root", "expiration_ms", "lock")

    def __init__(self, counter: TaskCounter) -> None:
        self._counter = counter
        self.lock = counter.lock
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
        """Append *entry*, which no list links."""
        root = self._root
        tail = root.prev
        entry.list = self
        entry.next = root
        entry.prev = tail
        tail.next = root.prev = entry
        self._counter.value += 1

    def remove(self, entry: TimerTaskEntry) -> None:
        """Unlink *entry* if it is (still) in this list."""
        lock = self.lock
        lock.acquire()  # `with` costs twice as much, and this is what every cancel does
        try:
            if entry.list is self:
                entry.list = None
                following, preceding = entry.next, entry.prev
                following.prev = preceding
                preceding.next = following
                del entry.next, entry.prev
                self._counter.value -= 1
        finally:
            lock.release()

    def flush(self, place: Callable[[TimerTaskEntry], bool]) -> None:
        """Empty the list and be ready for the next turn of the wheel.

        Each entry goes to *place*, which says whether it is in another list now. Its list is never
        None on the way: who cancels it waits for the lock, and then finds it where it went.
        """
        counter = self._counter
        root = self._root
        entry = root.next
        root.next = root.prev = root
        self.expiration_ms = -1
        while entry is not root:
            following = entry.next
            counter.value -= 1
            if not place(entry):
                entry.list = None
                del entry.next, entry.prev  # who keeps the task must not keep its neighbours
            entry = following

    def __iter__(self) -> Iterator[TimerTask]:
        """Walk the tasks that are not cancelled; one may be cancelled when it is its turn."""
        entry = self._root.next
        while entry is not self._root:
            following = entry.next
            if not entry.is_cancelled:
                yield entry.task
            entry = following
