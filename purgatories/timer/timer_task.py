"""A task that a timer runs once, after its delay.

A task refers to its *current* entry, and an entry is live only while its task refers to it:

    task.timer_task_entry ---> entry <---> its neighbours in a bucket
                   entry.task <---/
Cancelling clears the reference and adding again replaces it. An old entry that is moving between
two buckets is then cancelled by identity, without a search.
A task needs no lock: `cancel` clears the reference first and unlinks second; the timer links first
and checks the reference second, so at least one of the two sees the effect of the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .timer_task_entry import TimerTaskEntry

DELAY_MS_MAX = 2.0**63  # a longer delay overflows in Kafka and fires at once


class TimerTask:
    """Runs ``delay_ms`` after it was added; zero or less means as soon as possible.

    Delays beyond 64 bits, including infinity and NaN, are limited to 292 million years. After the
    task was added, ``expiration_ms`` is its time by the timer's clock, rounded up to a tick.
    """

    __slots__ = ("delay_ms", "expiration_ms", "timer_task_entry")

    expiration_ms: int

    def __init__(self, delay_ms: float) -> None:
        if not -DELAY_MS_MAX < delay_ms < DELAY_MS_MAX:
            delay_ms = -DELAY_MS_MAX if delay_ms < 0 else DELAY_MS_MAX
        self.delay_ms = delay_ms
        self.timer_task_entry: TimerTaskEntry | None = None

    def run(self) -> None:
        """Run the task; the base class does nothing but make the timer's driver return."""

    def cancel(self) -> None:
        """Remove the task from its timer; may be called at any time and repeatedly."""
        entry = self.timer_task_entry
        if entry is None:
            return
        self.timer_task_entry = None
        # entry.remove(), inlined: every completed operation runs this, and the calls and the `with`
        # would double its cost.
        bucket = entry.list
        while bucket is not None:
            counter = bucket.counter
            lock = counter.lock
            lock.acquire()
            try:
                if entry.list is bucket:
                    following = entry.next
                    following.prev = preceding = entry.prev
                    preceding.next = following
                    entry.list = None
                    counter.value -= 1
                    return
                bucket = entry.list
            finally:
                lock.release()

    @property
    def is_cancelled(self) -> bool:
        """Whether it has no entry: also before it is added, but not after it ran, as in Kafka."""
        return self.timer_task_entry is None

    @property
    def is_waiting(self) -> bool:
        """Whether it is in a timer's wheel: added, and neither due nor cancelled."""
        entry = self.timer_task_entry
        return entry is not None and entry.list is not None
