"""A timer task's position in a bucket: one link of the bucket's list.

    list: the bucket        prev <--> entry <--> next         task: delay_ms, expiration_ticks
    list is None: in no bucket; due, removed, or not yet added

A task that is added again gets a new entry, and the timer removes the old one from its list, so
adding a task twice moves it. Entries are never reused. The task holds the expiration: only that of
the latest entry is used, and this takes no additional memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .timer_task import TimerTask
    from .timer_task_list import TimerTaskList


class TimerTaskEntry:
    """A link for *task*, which runs at *expiration_ticks*."""

    __slots__ = ("list", "next", "prev", "task")
    __deletable__ = ("next", "prev")  # mypyc requires it for `del`

    # Invariant: linked means that list, next and prev are set; the lock of list.counter guards them
    list: TimerTaskList | None
    next: TimerTaskEntry
    prev: TimerTaskEntry

    def __init__(self, task: TimerTask, expiration_ticks: int) -> None:
        self.task = task
        task.expiration_ticks = expiration_ticks
        self.list = None
        task.timer_task_entry = self

    @property
    def is_cancelled(self) -> bool:
        """Whether it was cancelled, or its task was added again and has a newer entry."""
        return self.task.timer_task_entry is not self

    def remove(self) -> None:
        """Remove it from its list, if any; follows it if another thread moves it meanwhile."""
        while (bucket := self.list) is not None:
            bucket.remove(self)
