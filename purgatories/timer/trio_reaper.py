"""The reaper as a trio task: sleeps until the earliest bucket expires.

    add (an earlier bucket) ----on_earlier----> the deadline of the sleep moves, nothing else
                                                        |
    sleep until next_expiration_ms <------ loop ------> advance_clock(0); purge()

Kafka's thread polls every 200 ms; this task sleeps for ever while the timer is empty. A task and a
cancel scope for each delay would cost forty times as much as an entry in the wheel; here all delays
share one of each.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from threading import get_ident

import trio

from .system_timer import SystemTimer

# Linux (epoll) rounds a sleep up to whole milliseconds. So the deadline is early: either the
# rounding compensates, or the task polls for the rest while other tasks run.
AWAKE_S = 400e-6 if sys.platform == "linux" else 0.0
# A bucket's time in milliseconds may differ from trio's clock by a rounding error.
ROUNDING_S = 1e-6


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
    sleep = trio.CancelScope()

    def move_deadline() -> None:
        sleep.deadline = _deadline(until(timer.next_expiration_ms))

    def wake() -> None:
        if get_ident() == reaper_thread:
            move_deadline()
        else:
            token.run_sync_soon(move_deadline, idempotent=True)

    timer.on_earlier(wake)
    try:
        while True:
            sleep = trio.CancelScope(deadline=_deadline(until(timer.next_expiration_ms)))
            with sleep:
                await trio.sleep_forever()
            if timer.advance_clock(0) and purge is not None:
                try:
                    purge()
                except Exception as error:
                    timer.on_error(f"the purge of {timer.name}", error)
    finally:
        timer.on_earlier(None)


def _seconds_until(timer: SystemTimer, time_ms: float) -> float:
    return (time_ms - timer.now_ms()) / 1000


def _deadline(left_s: float) -> float:
    """When to wake up, by trio's clock."""
    now = trio.current_time()
    if left_s <= 0:
        return now
    # Virtual time does not advance while a task runs, so the deadline must be late there.
    return now + left_s + (ROUNDING_S if trio.current_time() == now else -AWAKE_S)
