"""A task that a timer runs once, after its delay.

A task refers to its latest entry, and an entry refers to its task until it is cancelled:

    task.timer_task_entry ---> entry <---> its neighbours in a bucket
                   entry.task <---/

An entry is live while both references exist. Cancelling replaces ``entry.task``, adding again
replaces ``task.timer_task_entry``. An old entry that is moving between two buckets is then
cancelled by identity, without a search, and a cancel that has read the old entry has no effect on
the new one. A task needs no lock: `cancel` replaces the reference first and unlinks second; the
timer links first and checks the references second, so at least one of the two sees the effect of
the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..marks import mypyc_attr

if TYPE_CHECKING:
    from .timer_task_entry import TimerTaskEntry

DELAY_MS_MAX: Final = 2.0**63  # a longer delay overflows in Kafka and fires at once


@mypyc_attr(allow_interpreted_subclasses=True)
class TimerTask:
    """Runs ``delay_ms`` after it was added; zero or less means as soon as possible.

    Delays beyond 64 bits, including infinity and NaN, are limited to 292 million years. After the
    task was added, ``expiration_ticks`` is its time by the timer's clock, rounded up to a tick.
    """

    __slots__ = ("delay_ms", "expiration_ticks", "tick_ms", "timer_task_entry")

    expiration_ticks: int
    tick_ms: float

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
        entry.task = CANCELLED
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
                    del entry.next, entry.prev  # the task must not keep the neighbours alive
                    counter.value -= 1
                    return
                bucket = entry.list
            finally:
                lock.release()

    @property
    def expiration_ms(self) -> float:
        """When it runs by the timer's clock, in ms; it must have been added."""
        return self.expiration_ticks * self.tick_ms

    @property
    def is_cancelled(self) -> bool:
        """Whether it has no entry: also before it is added, but not after it ran, as in Kafka."""
        entry = self.timer_task_entry
        return entry is None or entry.task is CANCELLED

    @property
    def is_waiting(self) -> bool:
        """Whether it is in a timer's wheel: added, and neither due nor cancelled."""
        entry = self.timer_task_entry
        return entry is not None and entry.list is not None


# The task of every cancelled entry.
CANCELLED: Final = TimerTask(-1)
# The task of every entry that has expired. The task keeps its entry, so a reference back would be a
# cycle that only garbage collection frees.
EXPIRED: Final = TimerTask(-1)
