"""A timer task's place in a bucket: one link of the bucket's list.

    list: the bucket        prev <--> entry <--> next         task: delay_ms, expiration_ms
    list is None: in no bucket; due, removed, or on its way into the first one

A task that is added again gets a new entry, and the constructor takes the old one out of its list;
so adding a task twice moves it. Entries are never reused. (Two threads that add one task at the
same moment may leave a dead entry behind, which is dropped when its bucket fires.) The expiration
is kept by the task: there it fits into memory that is allocated anyway, and only the latest entry
is ever asked for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .timer_task import TimerTask
    from .timer_task_list import TimerTaskList


class TimerTaskEntry:
    """A link for *task*, which from now on is to be run at *expiration_ms*."""

    __slots__ = ("list", "next", "prev", "task")

    # Invariant: linked means that list, next and prev are set; the lock of list.counter guards them
    list: TimerTaskList | None
    next: TimerTaskEntry
    prev: TimerTaskEntry

    def __init__(self, task: TimerTask, expiration_ms: int) -> None:
        self.task = task
        task.expiration_ms = expiration_ms
        self.list = None
        previous = task.timer_task_entry
        task.timer_task_entry = self
        if previous is not None:
            previous.remove()

    @property
    def is_cancelled(self) -> bool:
        """Whether the task has no entry any more, or a newer one."""
        return self.task.timer_task_entry is not self

    def remove(self) -> None:
        """Leave the list it is in, if any; it may be moved to another between look and grip."""
        while (bucket := self.list) is not None:
            bucket.remove(self)
