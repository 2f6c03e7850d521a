"""The reaper as a trio task: waits until the earliest bucket expires.

    add (an earlier bucket) ----on_earlier----> the alarm is set to it, nothing else
                                                        |
    wait until next_expiration_ms <----- loop ------> advance_clock(0); purge()

Kafka's thread polls every 200 ms; this task waits forever while the timer is empty. A task and a
cancel scope for each delay would cost forty times as much as an entry in the wheel; here all delays
share one of each.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import get_ident

import trio

from .alarm import system_alarm
from .contained_purge import run_purge
from .system_timer import SystemTimer


async def run_reaper(
    timer: SystemTimer,
    purge: Callable[[], None] | None = None,
    seconds_until: Callable[[float], float] | None = None,
) -> None:
    """Drive *timer* until cancelled; its tasks run in this task, unless it has an executor.

    Tasks may be added from any thread. ``now_ms`` need not be trio's clock. *seconds_until* returns
    how long it takes, by trio's clock, until ``now_ms`` returns a given time; by default both run
    at the same speed. `SystemTimer.clock_adjusted` must be called when its results change.
    """
    until = seconds_until or partial(_seconds_until, timer)
    token = trio.lowlevel.current_trio_token()
    reaper_thread = get_ident()
    alarm = system_alarm()

    def set_alarm() -> None:
        alarm.set(until(timer.next_expiration_ms))

    def wake() -> None:
        if get_ident() == reaper_thread:
            set_alarm()
        else:
            token.run_sync_soon(set_alarm, idempotent=True)

    timer.on_earlier(wake)
    try:
        while True:
            set_alarm()
            await alarm.wait()
            if timer.advance_clock(0) and purge is not None:
                run_purge(timer, purge)
    finally:
        timer.on_earlier(None)
        alarm.close()


def _seconds_until(timer: SystemTimer, time_ms: float) -> float:
    return (time_ms - timer.now_ms()) / 1000
