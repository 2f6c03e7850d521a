"""The timer: a wheel of buckets, a queue of the buckets in use, and an optional executor.

      add ----> [ TimingWheel ] --non-empty buckets--> [ DelayQueue ]
                     ^                                      |
                     +-- too early: a finer wheel <-- advance_clock -- due --> executor, or the
                                                                               caller's thread
One lock excludes `add` and `advance_clock` from each other. Tasks never run under it, nor inside
`add`: a task that is due when it is added runs in the next `advance_clock` or on the executor.
The wheels count in ticks, and this module converts between ticks and milliseconds.
Expirations are rounded up to a tick, so no task runs too early (Kafka truncates both the current
time and the expiration to whole milliseconds, so a task may run up to 1 ms too early).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, wait
from math import ceil, floor, inf
from threading import TIMEOUT_MAX, Condition, Lock
from typing import Final

from ..marks import mypyc_attr
from ..on_error import OnError, log_error
from .delay_queue import DelayQueue
from .task_counter import TaskCounter
from .timer_task import EXPIRED, TimerTask
from .timer_task_entry import TimerTaskEntry
from .timer_task_list import TimerTaskList
from .timing_wheel import TimingWheel

CLOSE_TIMEOUT_S: Final = 5  # as in Kafka: a task that hangs must not block the shutdown


@mypyc_attr(allow_interpreted_subclasses=True)
class SystemTimer:
    """Runs each task once, after its delay, in calls of `advance_clock`.

    ``now_ms`` is a monotonic clock in (fractional) milliseconds. ``tick_ms`` may be a fraction; a
    shorter tick makes tasks less late and may wake the driver more often. An exception from a task
    is reported to ``on_error`` and affects no other task. ``on_run`` is called before each task
    runs; it may be set at any time.
    """

    __slots__ = (
        "_changed",
        "_closed",
        "_counter",
        "_due",
        "_executor",
        "_lock",
        "_now_ms",
        "_queue",
        "_wheel",
        "name",
        "on_error",
        "on_run",
        "tick_ms",
    )

    def __init__(
        self,
        name: str,
        *,
        now_ms: Callable[[], float],
        tick_ms: float = 1,
        wheel_size: int = 20,
        executor: Executor | None = None,
        on_error: OnError = log_error,
    ) -> None:
        assert tick_ms > 0
        self.name = name
        self.on_error = on_error
        self.on_run: Callable[[SystemTimer, TimerTask], object] | None = None
        self._now_ms = now_ms
        self.tick_ms = tick_ms
        self._executor = executor
        self._counter = TaskCounter()
        self._lock = self._counter.lock
        self._changed = Condition(self._lock)
        self._queue = DelayQueue(now_ms, tick_ms)
        self._queue.on_earlier = self._changed.notify
        start_ticks = floor(now_ms() / tick_ms)
        self._wheel = TimingWheel(1, wheel_size, start_ticks, self._counter, self._queue)
        self._closed = False
        self._due: deque[TimerTask] = deque()

    @property
    def size(self) -> int:
        """The number of waiting tasks, without those that are due and have not run yet."""
        return self._counter.value

    @property
    def next_expiration_ms(self) -> float:
        """When `advance_clock` next has a task to run, in ms; infinity if never."""
        return -inf if self._due else self._queue.earliest_ms

    @property
    def queued_buckets(self) -> int:
        """The number of buckets in the queue; cancelled tasks leave their bucket in it."""
        return len(self._queue)

    @property
    def demotions(self) -> int:
        """How often a task has moved to a finer wheel."""
        return self._counter.demotions

    @property
    def is_closed(self) -> bool:
        """Whether `close` has been called."""
        return self._closed

    @property
    def lock(self) -> Lock:
        """The lock that excludes changes of the wheels."""
        return self._lock

    def wheels(self) -> Iterator[TimingWheel]:
        """The wheels that were created so far, finest first."""
        wheel: TimingWheel | None = self._wheel
        while wheel is not None:
            yield wheel
            wheel = wheel.overflow_wheel

    def now_ms(self) -> float:
        """The current time of this timer's clock, in ms."""
        return self._now_ms()

    def on_earlier(self, wake: Callable[[], None] | None) -> None:
        """Call *wake* whenever `next_expiration_ms` decreases; None restores the default.

        The default ends a blocking `advance_clock`. *wake* is called under the timer's lock, in the
        thread that adds: it must return quickly and add no task.
        """
        self._queue.on_earlier = self._changed.notify if wake is None else wake

    def clock_adjusted(self) -> None:
        """Wake the driver of `advance_clock`: ``now_ms`` has moved, or runs at another speed."""
        with self._lock:
            self._queue.on_earlier()

    def add(self, task: TimerTask) -> None:
        """Start *task*'s delay; a task that is waiting already restarts it."""
        delay_ms = task.delay_ms
        task.tick_ms = tick_ms = self.tick_ms
        ticks = (self._now_ms() + delay_ms) / tick_ms
        expiration_ticks = ceil(ticks) if delay_ms > 0 else floor(ticks)
        lock = self._lock
        lock.acquire()
        try:
            previous = task.timer_task_entry
            entry = TimerTaskEntry(task, expiration_ticks)
            if previous is not None:
                previous = self._unlinked(previous)
            if not self._wheel.add(entry):
                self._expire(entry)
                self._queue.on_earlier()
        finally:
            lock.release()
        if previous is not None:
            previous.remove()
        if task.timer_task_entry is not entry or entry.task is not task:
            # It was cancelled before it was in any list, or has expired.
            entry.remove()
        if self._due and self._executor is not None:
            self._run_due()

    def _unlinked(self, entry: TimerTaskEntry) -> TimerTaskEntry | None:
        """Unlink *entry* if it is in a list of this timer; returns it if it may be in another's."""
        bucket = entry.list
        if bucket is None:
            return None
        if bucket.counter is not self._counter:
            return entry  # its lock cannot be acquired now
        bucket.unlink(entry)
        return None

    def advance_clock(self, timeout_ms: float) -> bool:
        """Run the tasks that are due, waiting up to *timeout_ms*; returns whether any was due."""
        wheel = self._wheel
        poll = self._queue.poll
        with self._lock:
            bucket = self._wait(timeout_ms) if timeout_ms > 0 else poll()
            advanced = bucket is not None or bool(self._due)
            while bucket is not None:
                wheel.advance_clock(bucket.expiration_ticks)
                for entry in bucket.flush(wheel.add):
                    self._expire(entry)
                bucket = poll()
        if self._due:
            self._run_due()
        return advanced

    def _expire(self, entry: TimerTaskEntry) -> None:
        if not entry.is_cancelled:
            self._due.append(entry.task)
            entry.task = EXPIRED

    def _wait(self, timeout_ms: float) -> TimerTaskList | None:
        """Wait for a bucket to expire, for a task that is due at once, or for the timeout."""
        deadline_ms = self._now_ms() + timeout_ms
        while (bucket := self._queue.poll()) is None and not self._due:
            remaining_ms = min(deadline_ms, self._queue.earliest_ms) - self._now_ms()
            if remaining_ms > 0:
                self._changed.wait(min(remaining_ms / 1000, TIMEOUT_MAX))
            elif deadline_ms <= self._now_ms():
                break
        return bucket

    def _run_due(self) -> None:
        """Run the tasks that are due now; tasks that these make due run in the next call."""
        due, executor = self._due, self._executor
        for _ in range(len(due)):
            try:
                task = due.popleft()
            except IndexError:  # another thread took it
                return
            if self._closed:
                continue
            if executor is None:
                self._run(task)
                continue
            try:
                executor.submit(self._run, task)
            except RuntimeError:
                if not self._closed:  # it may have been closed meanwhile
                    raise

    def _run(self, task: TimerTask) -> None:
        if self.on_run is not None:
            self.on_run(self, task)
        try:
            task.run()
        except Exception as error:
            self.on_error(f"timer {self.name}: {task!r}", error)

    def close(self) -> None:
        """Drop the waiting tasks; the executor finishes the tasks that it has been given.

        Closing again has no effect. A task that is added to a closed timer never runs.
        """
        was_closed, self._closed = self._closed, True
        if self._executor is not None and not was_closed:
            last = self._executor.submit(int, 0)
            self._executor.shutdown(wait=False)
            wait([last], timeout=CLOSE_TIMEOUT_S)
