"""A hierarchy of timing wheels: adding and cancelling are O(1) in the number of waiting tasks.

    tick 1 ms    [ 0][ 1][ 2] ... [19]            the next 20 ms, with a resolution of 1 ms
    tick 20 ms   [ 0-19][20-39] ... [380-399]     the next 400 ms, with one of 20 ms
    tick 400 ms  [ 0-399][400-799] ... [..7999]   the next 8 s, with one of 400 ms; and so on

A task goes into the finest wheel that covers its expiration. A bucket fires at its *start*; its
tasks are then added again, which puts them into a finer wheel: a task of 450 ms waits in the
third wheel until 400, in the second until 440, in the first until 450. Coarser wheels are created
when they are first needed. A wheel's clock advances only when a bucket fires.
"""

from __future__ import annotations

from .delay_queue import DelayQueue
from .task_counter import TaskCounter
from .timer_task_entry import TimerTaskEntry
from .timer_task_list import TimerTaskList


class TimingWheel:
    """``wheel_size`` buckets of ``tick_ms`` each; callers hold the counter's lock."""

    __slots__ = (
        "_counter",
        "_queue",
        "buckets",
        "current_time_ms",
        "end_ms",
        "first_end_ms",
        "interval_ms",
        "overflow_wheel",
        "tick_ms",
        "wheel_size",
    )

    def __init__(
        self,
        tick_ms: int,
        wheel_size: int,
        start_ms: int,
        counter: TaskCounter,
        queue: DelayQueue,
    ) -> None:
        assert tick_ms > 0
        assert wheel_size > 1, "a wheel of one bucket would overflow into itself for ever"
        self.tick_ms = tick_ms
        self.wheel_size = wheel_size
        self.interval_ms = tick_ms * wheel_size
        self.overflow_wheel: TimingWheel | None = None
        self._counter = counter
        self._queue = queue
        self.buckets = [TimerTaskList(counter) for _ in range(wheel_size)]
        self.set_clock(start_ms)

    def set_clock(self, time_ms: int) -> None:
        """Set the clock of this wheel only."""
        # Invariant: current_time_ms % tick_ms == 0. The bucket of the current tick is always empty.
        self.current_time_ms = time_ms - time_ms % self.tick_ms
        self.first_end_ms = self.current_time_ms + self.tick_ms
        self.end_ms = self.current_time_ms + self.interval_ms

    def add(self, entry: TimerTaskEntry) -> bool:
        """Put *entry* into its bucket; False if it is cancelled or has expired already."""
        task = entry.task
        if task.timer_task_entry is not entry:
            return False
        expiration_ms = task.expiration_ms
        if expiration_ms < self.first_end_ms:
            return False
        wheel = self
        while expiration_ms >= wheel.end_ms:
            wheel = wheel.overflow_wheel or wheel.add_overflow_wheel()
        # All ids that a wheel covers differ modulo its size: a bucket never contains two of them.
        tick_ms = wheel.tick_ms
        virtual_id = expiration_ms // tick_ms
        bucket = wheel.buckets[virtual_id % wheel.wheel_size]
        bucket.add(entry)
        if bucket.set_expiration(virtual_id * tick_ms):
            self._queue.offer(bucket)
        return True

    def add_overflow_wheel(self) -> TimingWheel:
        """Create the next coarser wheel; its tick is the interval of this one."""
        self.overflow_wheel = TimingWheel(
            self.interval_ms, self.wheel_size, self.current_time_ms, self._counter, self._queue
        )
        return self.overflow_wheel

    def advance_clock(self, time_ms: int) -> None:
        """Advance this and the coarser wheels to *time_ms*; no bucket changes."""
        wheel: TimingWheel | None = self
        while wheel is not None and time_ms >= wheel.first_end_ms:
            wheel.set_clock(time_ms)
            wheel = wheel.overflow_wheel
