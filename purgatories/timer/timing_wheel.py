"""A hierarchy of timing wheels: adding and cancelling are O(1) in the number of waiting tasks.

    tick 1 ms    [ 0][ 1][ 2] ... [19]            the next 20 ms, with a resolution of 1 ms
    tick 20 ms   [ 0-19][20-39] ... [380-399]     the next 400 ms, with one of 20 ms
    tick 400 ms  [ 0-399][400-799] ... [..7999]   the next 8 s, with one of 400 ms; and so on

A task goes into the finest wheel that covers its expiration. A bucket fires at its *start*; its
tasks are then added again, which puts them into a finer wheel: a task of 450 ms waits in the
third wheel until 400, in the second until 440, in the first until 450. Coarser wheels are created
when they are first needed. A wheel's clock advances only when a bucket fires.

All times of this module are whole numbers of ticks of the timer, which converts them; so are those
of buckets and entries. The buckets of the finest wheel last one tick.
"""

from __future__ import annotations

from .delay_queue import DelayQueue
from .task_counter import TaskCounter
from .timer_task_entry import TimerTaskEntry
from .timer_task_list import TimerTaskList


class TimingWheel:
    """``wheel_size`` buckets of ``bucket_ticks`` each; callers hold the counter's lock."""

    __slots__ = (
        "_counter",
        "_queue",
        "bucket_ticks",
        "buckets",
        "end_ticks",
        "first_end_ticks",
        "interval_ticks",
        "now_ticks",
        "overflow_wheel",
        "wheel_size",
    )

    def __init__(
        self,
        bucket_ticks: int,
        wheel_size: int,
        start_ticks: int,
        counter: TaskCounter,
        queue: DelayQueue,
    ) -> None:
        assert bucket_ticks > 0
        assert wheel_size > 1, "a wheel of one bucket would overflow into itself forever"
        self.bucket_ticks = bucket_ticks
        self.wheel_size = wheel_size
        self.interval_ticks = bucket_ticks * wheel_size
        self.overflow_wheel: TimingWheel | None = None
        self._counter = counter
        self._queue = queue
        self.buckets = [TimerTaskList(counter) for _ in range(wheel_size)]
        self.set_clock(start_ticks)

    def set_clock(self, time_ticks: int) -> None:
        """Set the clock of this wheel only."""
        # Invariant: now_ticks % bucket_ticks == 0. The current bucket is always empty.
        self.now_ticks = time_ticks - time_ticks % self.bucket_ticks
        self.first_end_ticks = self.now_ticks + self.bucket_ticks
        self.end_ticks = self.now_ticks + self.interval_ticks

    def add(self, entry: TimerTaskEntry) -> bool:
        """Put *entry* into its bucket; False if it is cancelled or has expired already."""
        task = entry.task
        if task.timer_task_entry is not entry:
            return False
        expiration_ticks = task.expiration_ticks
        if expiration_ticks < self.first_end_ticks:
            return False
        wheel = self
        while expiration_ticks >= wheel.end_ticks:
            wheel = wheel.overflow_wheel or wheel.add_overflow_wheel()
        # All ids that a wheel covers differ modulo its size: a bucket never contains two of them.
        bucket_ticks = wheel.bucket_ticks
        virtual_id = expiration_ticks // bucket_ticks
        bucket = wheel.buckets[virtual_id % wheel.wheel_size]
        bucket.add(entry)
        if bucket.set_expiration(virtual_id * bucket_ticks):
            self._queue.offer(bucket)
        return True

    def add_overflow_wheel(self) -> TimingWheel:
        """Create the next coarser wheel; its buckets are as long as this one."""
        self.overflow_wheel = TimingWheel(
            self.interval_ticks, self.wheel_size, self.now_ticks, self._counter, self._queue
        )
        return self.overflow_wheel

    def advance_clock(self, time_ticks: int) -> None:
        """Advance this and the coarser wheels to *time_ticks*; no bucket changes."""
        wheel: TimingWheel | None = self
        while wheel is not None and time_ticks >= wheel.first_end_ticks:
            wheel.set_clock(time_ticks)
            wheel = wheel.overflow_wheel
