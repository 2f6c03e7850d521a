"""Kafka's TimerTaskListTest, and tests of flush."""

from __future__ import annotations

from purgatories.timer.task_counter import TaskCounter
from purgatories.timer.timer_task import TimerTask
from purgatories.timer.timer_task_entry import TimerTaskEntry
from purgatories.timer.timer_task_list import TimerTaskList


def test_all() -> None:
    """Kafka's TimerTaskListTest.testAll: adding counts, re-adding moves, cancelling empties."""
    counter = TaskCounter()
    lists = [TimerTaskList(counter) for _ in range(3)]
    tasks = [TimerTask(i) for i in range(10)]
    for number, task in enumerate(tasks, 1):
        lists[0].add(TimerTaskEntry(task, 10))
        assert counter.value == number
    for task in tasks[:4]:
        _move(task, lists[1], 20)
        assert counter.value == 10
    for task in tasks[4:7]:
        _move(task, lists[2], 30)
    assert [[int(task.delay_ms) for task in each] for each in lists] == [
        [7, 8, 9],
        [0, 1, 2, 3],
        [4, 5, 6],
    ]
    for task in lists[1]:
        task.cancel()
    assert [len(list(each)) for each in lists] == [3, 0, 3]
    assert counter.value == 6


def _move(task: TimerTask, to: TimerTaskList, expiration_ticks: int) -> None:
    """Add the task again, as `SystemTimer.add` does."""
    assert task.timer_task_entry is not None
    task.timer_task_entry.remove()
    to.add(TimerTaskEntry(task, expiration_ticks))


def test_expiration_says_whether_it_changed() -> None:
    """set_expiration returns True only if the expiration has changed."""
    bucket = TimerTaskList(TaskCounter())
    assert bucket.set_expiration(40)
    assert not bucket.set_expiration(40)
    assert bucket.set_expiration(41)


def test_remove_leaves_the_entries_of_other_lists() -> None:
    """remove has no effect on an entry of another list."""
    counter = TaskCounter()
    here, there = TimerTaskList(counter), TimerTaskList(counter)
    entry = TimerTaskEntry(TimerTask(1), 40)
    there.add(entry)
    here.remove(entry)
    assert counter.value == 1
    there.remove(entry)
    assert entry.list is None
    assert counter.value == 0


def test_flush_hands_on_first_in_first_out_and_forgets_the_expiration() -> None:
    """flush keeps the order, and resets the expiration."""
    counter = TaskCounter()
    bucket = TimerTaskList(counter)
    bucket.set_expiration(40)
    for number in range(3):
        bucket.add(TimerTaskEntry(TimerTask(number), 40))
    refused = bucket.flush(lambda _: False)
    assert [entry.task.delay_ms for entry in refused] == [0, 1, 2]
    assert [entry.list for entry in refused] == [None, None, None]
    assert counter.value == 0
    assert bucket.set_expiration(40)


def test_flush_moves_entries_into_other_lists() -> None:
    """Entries that flush moved are not returned, and count once."""
    counter = TaskCounter()
    coarse, fine = TimerTaskList(counter), TimerTaskList(counter)
    for number in range(4):
        coarse.add(TimerTaskEntry(TimerTask(number), 40))

    def place(entry: TimerTaskEntry) -> bool:
        if entry.task.delay_ms % 2:
            return False
        fine.add(entry)
        return True

    refused = coarse.flush(place)
    assert [entry.task.delay_ms for entry in refused] == [1, 3]
    assert [task.delay_ms for task in fine] == [0, 2]
    assert counter.value == 2


def test_expired_entry_does_not_hold_its_neighbours() -> None:
    """A task that is kept after it ran does not keep other tasks alive."""
    bucket = TimerTaskList(TaskCounter())
    entries = [TimerTaskEntry(TimerTask(number), 40) for number in range(3)]
    for entry in entries:
        bucket.add(entry)
    bucket.flush(lambda _: False)
    assert not any(hasattr(entry, side) for entry in entries for side in ("next", "prev"))


def test_cancelled_task_does_not_hold_its_neighbours() -> None:
    """A task that is kept after it was cancelled does not keep other tasks alive."""
    bucket = TimerTaskList(TaskCounter())
    tasks = [TimerTask(number) for number in range(3)]
    entries = [TimerTaskEntry(task, 40) for task in tasks]
    for entry in entries:
        bucket.add(entry)
    tasks[0].cancel()
    bucket.remove(entries[1])
    assert not any(hasattr(entry, side) for entry in entries[:2] for side in ("next", "prev"))


def test_iteration_skips_cancelled_entries() -> None:
    """Iteration skips an entry whose task was cancelled or has a newer entry."""
    bucket = TimerTaskList(TaskCounter())
    task = TimerTask(1)
    bucket.add(TimerTaskEntry(task, 40))
    task.cancel()
    assert list(bucket) == []
