"""The timer: a wheel of buckets, a queue that says which bucket is next, and who runs the tasks.

      add ----> [ TimingWheel ] --non-empty buckets--> [ DelayQueue ]
                     ^                                      |
                     +-- too early: a finer wheel <-- advance_clock -- due --> executor, or the
                                                                               caller's thread
`add` and `advance_clock` exclude each other by one lock. No task ever runs under it, nor inside
`add`: what is due already when it is added runs with the next `advance_clock`, or on the executor.
Expirations are rounded up to a tick, so that nothing runs before its time (Kafka's timer cuts both
the present and the expiration to whole milliseconds, and may run a task almost one too early).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, wait
from math import ceil, floor, inf
from threading import TIMEOUT_MAX, Condition

from ..on_error import OnError, log_error
from .delay_queue import DelayQueue
from .task_counter import TaskCounter
from .timer_task import TimerTask
from .timer_task_entry import TimerTaskEntry
from .timer_task_list import TimerTaskList
from .timing_wheel import TimingWheel

CLOSE_TIMEOUT_S = 5  # as Kafka: a task that hangs must not hang the shutdown


class SystemTimer:
    """Runs each task once, not before its delay is over, if somebody calls `advance_clock`.

    ``now_ms`` is a monotonic clock in (fractional) milliseconds. An exception that a task raises is
    reported to ``on_error`` and affects no other task.
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
        "_tick_ms",
        "_wheel",
        "name",
        "on_error",
    )

    def __init__(
        self,
        name: str,
        *,
        now_ms: Callable[[], float],
        tick_ms: int = 1,
        wheel_size: int = 20,
        executor: Executor | None = None,
        on_error: OnError = log_error,
    ) -> None:
        self.name = name
        self.on_error = on_error
        self._now_ms = now_ms
        self._tick_ms = tick_ms
        self._executor = executor
        self._counter = TaskCounter()
        self._lock = self._counter.lock
        self._changed = Condition(self._lock)
        self._queue = DelayQueue(now_ms)
        self._queue.on_earlier = self._changed.notify
        self._wheel = TimingWheel(tick_ms, wheel_size, int(now_ms()), self._counter, self._queue)
        self._closed = False
        self._due: deque[TimerTask] = deque()

    @property
    def size(self) -> int:
        """How many tasks wait; those that are due and not yet run are no longer among them."""
        return self._counter.value

    @property
    def next_expiration_ms(self) -> float:
        """When `advance_clock` next has something to do: infinity for never."""
        return -inf if self._due else self._queue.earliest_ms

    def now_ms(self) -> float:
        """The time by this timer's clock."""
        return self._now_ms()

    def on_earlier(self, wake: Callable[[], None] | None) -> None:
        """Call *wake* whenever `next_expiration_ms` gets smaller; None: end a blocking advance.

        It is called under the timer's lock, by the thread that adds: be quick, add nothing.
        """
        self._queue.on_earlier = self._changed.notify if wake is None else wake

    def add(self, task: TimerTask) -> None:
        """Start *task*'s delay; if it is waiting already it starts anew."""
        delay_ms = task.delay_ms
        tick_ms = self._tick_ms
        ticks = (self._now_ms() + delay_ms) / tick_ms
        expiration_ms = (ceil(ticks) if delay_ms > 0 else floor(ticks)) * tick_ms
        entry = TimerTaskEntry(task, expiration_ms)
        lock = self._lock
        lock.acquire()
        try:
            if not self._wheel.add(entry):
                self._expire(entry)
                self._queue.on_earlier()
        finally:
            lock.release()
        if task.timer_task_entry is not entry:  # cancelled before the entry was in any list
            entry.remove()
        if self._due and self._executor is not None:
            self._run_due()

    def advance_clock(self, timeout_ms: float) -> bool:
        """Run what is due, waiting up to *timeout_ms* for it; says whether there was anything."""
        wheel = self._wheel
        poll = self._queue.poll
        with self._lock:
            bucket = self._wait(timeout_ms) if timeout_ms > 0 else poll()
            advanced = bucket is not None or bool(self._due)
            while bucket is not None:
                wheel.advance_clock(bucket.expiration_ms)
                for entry in bucket.flush(wheel.add):
                    self._expire(entry)
                bucket = poll()
        if self._due:
            self._run_due()
        return advanced

    def _expire(self, entry: TimerTaskEntry) -> None:
        if not entry.is_cancelled:
            self._due.append(entry.task)

    def _wait(self, timeout_ms: float) -> TimerTaskList | None:
        """Wait for a bucket to expire, for a task that is due at once, or until time is up."""
        deadline_ms = self._now_ms() + timeout_ms
        while (bucket := self._queue.poll()) is None and not self._due:
            remaining_ms = min(deadline_ms, self._queue.earliest_ms) - self._now_ms()
            if remaining_ms > 0:
                self._changed.wait(min(remaining_ms / 1000, TIMEOUT_MAX))
            elif deadline_ms <= self._now_ms():
                break
        return bucket

    def _run_due(self) -> None:
        """Run what is due now; what that makes due at once is for the next call."""
        due, executor = self._due, self._executor
        for _ in range(len(due)):
            try:
                task = due.popleft()
            except IndexError:  # another thread was faster
                return
            if self._closed:
                continue
            if executor is None:
                self._run(task)
                continue
            try:
                executor.submit(self._run, task)
            except RuntimeError:
                if not self._closed:  # just now, that is
                    raise

    def _run(self, task: TimerTask) -> None:
        try:
            task.run()
        except Exception as error:
            self.on_error(f"timer {self.name}: {task!r}", error)

    def close(self) -> None:
        """Run nothing any more: what waits is dropped; the executor finishes what it was given.

        Closing twice is harmless, and so is adding to a closed timer: the task just never runs.
        """
        was_closed, self._closed = self._closed, True
        if self._executor is not None and not was_closed:
            last = self._executor.submit(int, 0)
            self._executor.shutdown(wait=False)
            wait([last], timeout=CLOSE_TIMEOUT_S)
