"""Tests of a task's entry in a list."""

from __future__ import annotations

from purgatories.timer.task_counter import TaskCounter
from purgatories.timer.timer_task import TimerTask
from purgatories.timer.timer_task_entry import TimerTaskEntry
from purgatories.timer.timer_task_list import TimerTaskList


def test_new_entry_of_a_task_cancels_the_old_one() -> None:
    """Only the latest entry of a task is live; the timer removes the old one from its list."""
    task = TimerTask(0)
    old = TimerTaskEntry(task, 10)
    assert not old.is_cancelled
    new = TimerTaskEntry(task, 20)
    assert old.is_cancelled
    assert not new.is_cancelled


def test_removing_an_entry_that_is_in_no_list_does_nothing() -> None:
    """remove has no effect if the entry is in no list."""
    entry = TimerTaskEntry(TimerTask(0), 10)
    entry.remove()
    assert entry.list is None


def test_remove_unlinks_the_middle_the_first_and_the_last() -> None:
    """The neighbours are linked to each other after any removal."""
    counter = TaskCounter()
    bucket = TimerTaskList(counter)
    tasks = [TimerTask(i) for i in range(5)]
    for task in tasks:
        bucket.add(TimerTaskEntry(task, 10))
    for index in (2, 0, 4):
        tasks[index].cancel()
    assert [task.delay_ms for task in bucket] == [1, 3]
    assert counter.value == 2
