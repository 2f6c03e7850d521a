"""Tests of each race that Kafka's timer guards against."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread

import pytest

from purgatories.timer.delay_queue import DelayQueue
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.task_counter import TaskCounter
from purgatories.timer.timer_task import CANCELLED, TimerTask
from purgatories.timer.timer_task_entry import TimerTaskEntry
from purgatories.timer.timer_task_list import TimerTaskList
from purgatories.timer.timing_wheel import TimingWheel
from tests.purgatories.builds import only_pure
from tests.purgatories.manual_clock import LoggingTask, ManualClock

replaces = only_pure("compiled functions call the methods of the wheel directly")
overrides = only_pure("compiled functions read attributes, and not properties of a subclass")


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@replaces
def test_cancelled_between_its_entry_and_the_list(
    clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The entry was cancelled before it was linked; the adding thread unlinks it.

    Kafka leaves such an entry in its bucket until that fires.
    """
    add = TimingWheel.add

    def cancel_and_add(wheel: TimingWheel, entry: TimerTaskEntry) -> bool:
        added = add(wheel, entry)
        entry.task = CANCELLED  # the first step of cancel, and its only effect here
        return added

    timer = SystemTimer("races", now_ms=clock)
    monkeypatch.setattr(TimingWheel, "add", cancel_and_add)
    timer.add(TimerTask(100))
    assert timer.size == 0


@overrides
def test_cancel_that_read_the_old_entry_does_not_affect_the_new_one(clock: ManualClock) -> None:
    """Another thread adds the task again between the steps of cancel: the task runs."""
    timer = SystemTimer("races", now_ms=clock)
    output: list[int] = []

    class AddedAgain(LoggingTask):
        """Is added again as soon as cancel has read its entry."""

        @property
        def timer_task_entry(self) -> TimerTaskEntry | None:
            entry = self.entry
            if self.is_being_cancelled:
                self.is_being_cancelled = False
                timer.add(self)
            return entry

        @timer_task_entry.setter
        def timer_task_entry(self, entry: TimerTaskEntry | None) -> None:
            self.entry = entry

        is_being_cancelled = False

    task = AddedAgain(100, 1, output)
    timer.add(task)
    task.is_being_cancelled = True
    task.cancel()
    assert timer.size == 1
    clock.advance_to(100, timer)
    assert output == [1]
    assert timer.size == 0


def _remove_its_entry(task: TimerTask) -> None:
    assert task.timer_task_entry is not None
    task.timer_task_entry.remove()


@pytest.mark.parametrize("remove", [TimerTask.cancel, _remove_its_entry])
def test_entry_is_moved_while_it_is_being_removed(remove: Callable[[TimerTask], object]) -> None:
    """remove acquires the lock of the list it saw, finds the entry moved, and follows it.

    This applies to cancel and to a timer that removes the entry of another timer.
    """
    here, there = TaskCounter(), TaskCounter()
    old, new = TimerTaskList(here), TimerTaskList(there)
    task = TimerTask(0)
    entry = TimerTaskEntry(task, 10)
    old.add(entry)

    class MovingLock:
        """A lock whose holder moves the entry before a waiting thread gets it."""

        def acquire(self) -> None:
            for moved in (entry,) if entry.list is old else ():
                old.flush(lambda _: False)
                new.add(moved)

        def release(self) -> None:
            pass

        def __enter__(self) -> None:
            self.acquire()

        def __exit__(self, *error: object) -> None:
            self.release()

    here.lock = MovingLock()  # type: ignore[assignment] # the methods that are used
    remove(task)
    assert entry.list is None
    assert (here.value, there.value) == (0, 0)
    assert list(new) == []


def test_bucket_is_in_the_queue_once() -> None:
    """A bucket is not queued twice for two entries, and is queued again in its next round."""
    counter = TaskCounter()
    queue = DelayQueue(lambda: 10**6, 1)
    wheel = TimingWheel(1, 20, 0, counter, queue)
    for _ in range(3):
        wheel.add(TimerTaskEntry(TimerTask(0), 5))
    assert len(queue) == 1
    bucket = queue.poll()
    assert bucket is not None
    bucket.flush(lambda _: False)
    wheel.add(TimerTaskEntry(TimerTask(0), 5))
    assert len(queue) == 1


@replaces
def test_add_waits_while_the_clock_advances(
    clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An entry is never added to a wheel while the clock advances."""
    timer = SystemTimer("races", now_ms=clock)
    output: list[int] = []
    timer.add(LoggingTask(5, 1, output))
    advance = TimingWheel.advance_clock
    adders: list[Thread] = []
    seen: list[int] = []

    def advance_while_somebody_adds(wheel: TimingWheel, time_ms: int) -> None:
        adder = Thread(target=timer.add, args=[LoggingTask(3, 2, output)])
        adder.start()
        adders.append(adder)
        advance(wheel, time_ms)
        assert not timer._lock.acquire(blocking=False)  # noqa: SLF001 - checks that it is held
        seen.append(timer.size)

    monkeypatch.setattr(TimingWheel, "advance_clock", advance_while_somebody_adds)
    clock.now_ms = 5
    timer.advance_clock(0)
    monkeypatch.undo()
    adders[0].join()
    assert seen == [1]
    clock.advance_to(8, timer)
    assert output == [1, 2]
