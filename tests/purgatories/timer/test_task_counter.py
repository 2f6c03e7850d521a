"""Tests of the counter that all buckets share."""

from __future__ import annotations

from purgatories.timer.task_counter import TaskCounter
from purgatories.timer.timer_task import TimerTask
from purgatories.timer.timer_task_entry import TimerTaskEntry
from purgatories.timer.timer_task_list import TimerTaskList


def test_lists_that_share_a_counter_count_together() -> None:
    """Additions and removals in all lists are counted."""
    counter = TaskCounter()
    tasks = [TimerTask(0), TimerTask(0)]
    for task in tasks:
        TimerTaskList(counter).add(TimerTaskEntry(task, 10))
    assert counter.value == 2
    tasks[0].cancel()
    assert counter.value == 1


def test_lock_is_free_after_a_removal() -> None:
    """The lock is free after a removal."""
    counter = TaskCounter()
    task = TimerTask(0)
    TimerTaskList(counter).add(TimerTaskEntry(task, 10))
    task.cancel()
    assert counter.lock.acquire(blocking=False)
