"""Tests of the queue of buckets."""

from __future__ import annotations

from math import inf

from purgatories.timer.delay_queue import DelayQueue
from purgatories.timer.task_counter import TaskCounter
from purgatories.timer.timer_task_list import TimerTaskList
from tests.purgatories.manual_clock import ManualClock


def _bucket(expiration_ticks: int) -> TimerTaskList:
    bucket = TimerTaskList(TaskCounter())
    bucket.set_expiration(expiration_ticks)
    return bucket


def test_get_delay() -> None:
    """Kafka's TimerTaskListTest.testGetDelay: 10 s ahead, 5 s later, is 5 s ahead."""
    clock = ManualClock(1000)
    queue = DelayQueue(clock, 1)
    queue.offer(_bucket(11_000))
    clock.now_ms = 6000
    assert queue.earliest_ms - clock() == 5000


def test_nothing_is_handed_out_before_its_time() -> None:
    """A bucket is not returned even a fraction of a millisecond early."""
    clock = ManualClock()
    queue = DelayQueue(clock, 1)
    bucket = _bucket(10)
    queue.offer(bucket)
    clock.now_ms = 9.999999
    assert queue.poll() is None
    clock.now_ms = 10.0
    assert queue.poll() is bucket
    assert queue.poll() is None


def test_buckets_leave_by_expiration_then_as_they_came() -> None:
    """Buckets of equal expiration leave in the order in which they were added."""
    queue = DelayQueue(lambda: 100, 1)
    buckets = [_bucket(ms) for ms in (40, 10, 40, 20)]
    for bucket in buckets:
        queue.offer(bucket)
    assert [queue.poll() for _ in range(4)] == [buckets[1], buckets[3], buckets[0], buckets[2]]


def test_only_an_earlier_bucket_wakes_the_sleeper() -> None:
    """A later bucket does not call on_earlier."""
    queue = DelayQueue(ManualClock(), 1)
    woken: list[float] = []
    queue.on_earlier = lambda: woken.append(queue.earliest_ms)
    for expiration_ticks in (40, 50, 30, 35, 30):
        queue.offer(_bucket(expiration_ticks))
    assert woken == [40, 30]


def test_empty_queue_sleeps_for_ever() -> None:
    """The earliest expiration of an empty queue is infinity."""
    queue = DelayQueue(ManualClock(), 1)
    assert queue.earliest_ms == inf
    assert len(queue) == 0
