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
    """First in, first out; every call under the counter's lock."""

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
        """Append *entry*, which is in no list."""
        assert entry.list is None
        root = self._root
        tail = root.prev
        entry.next = root
        entry.prev = tail
        tail.next = root.prev = entry
        entry.list = self
        self._counter.value += 1

    def remove(self, entry: TimerTaskEntry) -> None:
        """Unlink *entry*, which is in this list."""
        assert entry.list is self
        entry.prev.next = entry.next
        entry.next.prev = entry.prev
        entry.list = None
        self._counter.value -= 1

    def flush(self, place: Callable[[TimerTaskEntry], None]) -> None:
        """Empty the list, handing each entry on, and be ready for the next turn of the wheel."""
        root = self._root
        entry = root.next
        root.next = root.prev = root
        self.expiration_ms = -1
        counter = self._counter
        while entry is not root:
            following = entry.next
            entry.list = None
            counter.value -= 1
            place(entry)
            entry = following

    def __iter__(self) -> Iterator[TimerTask]:
        """Walk the tasks that are not cancelled; one may be cancelled when it is its turn."""
        entry = self._root.next
        while entry is not self._root:
            following = entry.next
            if not entry.is_cancelled:
                yield entry.task
            entry = following
