"""A task that a timer runs once, some time after it was added.

The task knows its *current* entry, and an entry is live only as long as that is so:

    task.timer_task_entry ---> entry <---> its neighbours in a bucket
                   entry.task <---/

Cancelling forgets the entry and adding anew replaces it; an old entry that is still on its way
between two buckets then finds itself cancelled by identity, and nobody has to search for it.
A task needs no lock: `cancel` forgets first and unlinks second, the timer links first and looks
whether it was forgotten second, so at least one of the two sees what the other did.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .timer_task_entry import TimerTaskEntry

DELAY_MS_MAX = 2.0**63  # Kafka's longest overflows, and fires at once


class TimerTask:
    """Runs ``delay_ms`` after it was added; zero or less means as soon as possible.

    Delays beyond 64 bits, infinity and NaN among them, are cut to 292 million years.
    ``expiration_ms`` is when, by the timer's clock and rounded up to its tick, once it was added.
    """

    __slots__ = ("delay_ms", "expiration_ms", "timer_task_entry")

    expiration_ms: int

    def __init__(self, delay_ms: float) -> None:
        if not -DELAY_MS_MAX < delay_ms < DELAY_MS_MAX:
            delay_ms = -DELAY_MS_MAX if delay_ms < 0 else DELAY_MS_MAX
        self.delay_ms = delay_ms
        self.timer_task_entry: TimerTaskEntry | None = None

    def run(self) -> None:
        """Do what the task is for; a plain task only wakes whoever drives the timer."""

    def cancel(self) -> None:
        """Take the task out of its timer; harmless at any time, any number of times."""
        entry = self.timer_task_entry
        if entry is None:
            return
        self.timer_task_entry = None
        # entry.remove(), written out: every completed operation comes here, and calls and `with`
        # would double what it costs.
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
        """Whether it has no entry: also before it is added, and not after it ran, as in Kafka."""
        return self.timer_task_entry is None

    @property
    def is_waiting(self) -> bool:
        """Whether it is in a timer's wheel: added, and neither due nor cancelled yet."""
        entry = self.timer_task_entry
        return entry is not None and entry.list is not None
