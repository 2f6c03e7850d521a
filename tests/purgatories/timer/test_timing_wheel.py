"""Kafka's TimingWheelTest (a bucket of 10 ticks, size 5, start 1000), then further tests."""

from __future__ import annotations

import pytest

from purgatories.timer.delay_queue import DelayQueue
from purgatories.timer.task_counter import TaskCounter
from purgatories.timer.timer_task import TimerTask
from purgatories.timer.timer_task_entry import TimerTaskEntry
from purgatories.timer.timing_wheel import TimingWheel


class Wheel:
    """A wheel with its counter and queue."""

    def __init__(self, bucket_ticks: int = 10, size: int = 5, start_ticks: int = 1000) -> None:
        self.counter = TaskCounter()
        self.queue = DelayQueue(lambda: 10**9, 1)
        self.wheel = TimingWheel(bucket_ticks, size, start_ticks, self.counter, self.queue)

    def add(self, expiration_ticks: int, task: TimerTask | None = None) -> bool:
        return self.wheel.add(TimerTaskEntry(task or TimerTask(0), expiration_ticks))


@pytest.fixture
def wheel() -> Wheel:
    return Wheel()


def test_add_valid_task(wheel: Wheel) -> None:
    """TimingWheelTest.testAddValidTask: accepted, queued, counted."""
    assert wheel.add(1020)
    assert len(wheel.queue) == 1
    assert wheel.counter.value == 1


def test_add_expired_task(wheel: Wheel) -> None:
    """TimingWheelTest.testAddExpiredTask: refused."""
    assert not wheel.add(999)
    assert len(wheel.queue) == 0
    assert wheel.counter.value == 0


def test_the_first_expiration_after_the_interval_overflows(wheel: Wheel) -> None:
    """The bucket of the current tick does not take the task that is due one revolution later."""
    assert wheel.add(1049)
    assert wheel.wheel.overflow_wheel is None
    assert wheel.add(1050)
    assert wheel.wheel.overflow_wheel is not None
    assert not list(wheel.wheel.buckets[0])


def test_add_cancelled_task(wheel: Wheel) -> None:
    """TimingWheelTest.testAddCancelledTask: refused."""
    task = TimerTask(0)
    entry = TimerTaskEntry(task, 1020)
    task.cancel()
    assert not wheel.wheel.add(entry)
    assert len(wheel.queue) == 0


def test_add_task_in_current_tick(wheel: Wheel) -> None:
    """TimingWheelTest.testAddTaskInCurrentBucket: it has expired already."""
    assert not wheel.add(1005)


def test_advance_clock_within_tick(wheel: Wheel) -> None:
    """TimingWheelTest.testAdvanceClockWithinTimeInterval: the clock does not change."""
    wheel.wheel.advance_clock(1009)
    assert wheel.wheel.now_ticks == 1000


def test_advance_clock_to_next_tick(wheel: Wheel) -> None:
    """TimingWheelTest.testAdvanceClockToNextTimeInterval: the clock advances by a tick."""
    wheel.wheel.advance_clock(1010)
    assert wheel.wheel.now_ticks == 1010


def test_overflow_wheel_creation(wheel: Wheel) -> None:
    """TimingWheelTest.testOverflowWheelCreation: created when first needed, then reused."""
    assert wheel.wheel.overflow_wheel is None
    assert wheel.add(1000 + 60)
    made = wheel.wheel.overflow_wheel
    assert made is not None
    assert wheel.add(1000 + 70)
    assert wheel.wheel.overflow_wheel is made


def test_advance_clock_with_overflow(wheel: Wheel) -> None:
    """TimingWheelTest.testAdvanceClockWithOverflowWheel: each wheel rounds to its own tick."""
    wheel.add(1000 + 60)
    wheel.wheel.advance_clock(1060)
    assert wheel.wheel.overflow_wheel is not None
    assert wheel.wheel.now_ticks == 1060
    assert wheel.wheel.overflow_wheel.now_ticks == 1050


def test_start_is_rounded_down_to_a_tick() -> None:
    """The initial clock is rounded down to a multiple of the tick."""
    assert Wheel(start_ticks=1009).wheel.now_ticks == 1000


def test_450_ms_task_moves_through_three_wheels() -> None:
    """It is on the third level until 400, the second until 440, the first until 450, then runs."""
    surroundings = Wheel(bucket_ticks=1, size=20, start_ticks=0)
    wheel = surroundings.wheel
    entry = TimerTaskEntry(TimerTask(450), 450)
    fired_ticks = []
    while wheel.add(entry):
        bucket = surroundings.queue.poll()
        assert bucket is not None
        fired_ticks.append(bucket.expiration_ticks)
        wheel.advance_clock(bucket.expiration_ticks)
        assert bucket.flush(lambda _: False) == [entry]
    assert fired_ticks == [400, 440, 450]


def test_bucket_is_queued_once_for_all_its_entries(wheel: Wheel) -> None:
    """A bucket is queued only when its expiration changes."""
    for expiration_ticks in (1020, 1021, 1029):
        assert wheel.add(expiration_ticks)
    assert len(wheel.queue) == 1


def test_flushed_bucket_is_queued_again_for_the_next_round(wheel: Wheel) -> None:
    """A flushed bucket is queued again, even with the same expiration."""
    wheel.add(1020)
    bucket = wheel.queue.poll()
    assert bucket is not None
    bucket.flush(lambda _: False)
    wheel.add(1020)
    assert wheel.queue.poll() is bucket


def test_clock_passed_by_advance_moves_coarser_wheels_too(wheel: Wheel) -> None:
    """An advance by several rounds advances every coarser wheel."""
    wheel.add(1000 + 50 * 5 + 1)
    wheel.wheel.advance_clock(5000)
    levels = []
    level: TimingWheel | None = wheel.wheel
    while level is not None:
        levels.append(level.now_ticks)
        level = level.overflow_wheel
    assert levels == [5000, 5000, 5000]


def test_wheel_of_one_bucket_is_refused() -> None:
    """A wheel of one bucket would overflow into an equal wheel forever."""
    with pytest.raises(AssertionError):
        Wheel(size=1)
