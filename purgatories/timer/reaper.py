"""The reaper as a thread: advances a timer's clock and purges its purgatory.

    loop:  timer.advance_clock(200 ms) --> expired operations run
           purge()                     --> completed operations leave their lists

Kafka's ``ExpiredOperationReaper``; without a purge it is Kafka's ``SystemTimerReaper``. A trio
program uses `purgatories.timer.trio_reaper` instead, with the same timer.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread

from .contained_purge import run_purge
from .system_timer import SystemTimer
from .timer_task import TimerTask

POLL_MS = 200  # Kafka's WORK_TIMEOUT_MS


class ExpiredOperationReaper(Thread):
    """Drives *timer* from ``start()`` until ``close()``."""

    def __init__(
        self, name: str, timer: SystemTimer, purge: Callable[[], None] | None = None
    ) -> None:
        super().__init__(name=name, daemon=True)
        self._timer = timer
        self._purge = purge
        self._running = True

    def run(self) -> None:
        """Advance the clock and purge until closed.

        An exception of the purge is reported to the timer's ``on_error``. (In Kafka it ends the
        thread.)
        """
        while self._running:
            self._timer.advance_clock(POLL_MS)
            if self._purge is not None:
                run_purge(self._timer, self._purge)

    def close(self) -> None:
        """Stop, and close the timer; an empty task of 0 ms ends the current poll."""
        self._running = False
        self._timer.add(TimerTask(0))
        self.join()
        self._timer.close()
