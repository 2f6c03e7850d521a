"""A hierarchy of timing wheels: adding and cancelling cost the same however many tasks wait.

    tick 1 ms    [ 0][ 1][ 2] ... [19]            the next 20 ms, to the millisecond
    tick 20 ms   [ 0-19][20-39] ... [380-399]     the next 400 ms, roughly
    tick 400 ms  [ 0-399][400-799] ... [..7999]   the next 8 s, more roughly; and so on

A task goes into the finest wheel that reaches its expiration. A bucket fires at its *start*, and
its tasks are then added again, which puts them into a finer wheel: a task of 450 ms waits in the
third wheel until 400, in the second until 440, in the first until 450. Wheels beyond the first are
made when first needed. A wheel's clock moves only when a bucket fires.
"""

from __future__ import annotations

from .delay_queue import DelayQueue
from .task_counter import TaskCounter
from .timer_task_entry import TimerTaskEntry
from .timer_task_list import TimerTaskList


class TimingWheel:
    """``wheel_size`` buckets of ``tick_ms`` each; every call under the counter's lock."""

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
        """Set this wheel's clock alone."""
        # Invariant: current_time_ms % tick_ms == 0. The bucket of the current tick is never filled.
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
        # All ids in a wheel's reach differ modulo its size: a bucket never mixes two of them.
        tick_ms = wheel.tick_ms
        virtual_id = expiration_ms // tick_ms
        bucket = wheel.buckets[virtual_id % wheel.wheel_size]
        bucket.add(entry)
        if bucket.set_expiration(virtual_id * tick_ms):
            self._queue.offer(bucket)
        return True

    def add_overflow_wheel(self) -> TimingWheel:
        """Make the next coarser wheel; its tick is all this one reaches."""
        self.overflow_wheel = TimingWheel(
            self.interval_ms, self.wheel_size, self.current_time_ms, self._counter, self._queue
        )
        return self.overflow_wheel

    def advance_clock(self, time_ms: int) -> None:
        """Move this and the coarser wheels on to *time_ms*; touches no bucket."""
        wheel: TimingWheel | None = self
        while wheel is not None and time_ms >= wheel.first_end_ms:
            wheel.set_clock(time_ms)
            wheel = wheel.overflow_wheel
