"""The reaper as a trio task: sleeps until the earliest bucket, and not at all in between.

    add (an earlier bucket) ----on_earlier----> the deadline of the sleep moves, nothing else
                                                        |
    sleep until next_expiration_ms <------ loop ------> advance_clock(0); purge()

Where Kafka's thread polls every 200 ms, this task sleeps for ever while the timer is empty. A task
and a cancel scope for each delay would cost forty times as much as an entry in the wheel; here one
of each serves them all.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import get_ident

import trio

from .system_timer import SystemTimer

# A wake-up may come a rounding error before the bucket's time, by a clock in milliseconds.
ROUNDING_S = 1e-6


async def run_reaper(timer: SystemTimer, purge: Callable[[], None] | None = None) -> None:
    """Drive *timer* until cancelled; its tasks run here, unless it has an executor.

    Others may add tasks from any thread. ``now_ms`` need not be trio's clock, but must run at the
    same speed.
    """
    token = trio.lowlevel.current_trio_token()
    home = get_ident()
    sleep = trio.CancelScope()

    def move_deadline() -> None:
        sleep.deadline = _deadline(timer)

    def wake() -> None:
        if get_ident() == home:
            move_deadline()
        else:
            token.run_sync_soon(move_deadline, idempotent=True)

    timer.on_earlier(wake)
    slack_s = 0.0
    try:
        while True:
            sleep = trio.CancelScope(deadline=_deadline(timer) + slack_s)
            with sleep:
                await trio.sleep_forever()
            slack_s = 0.0 if timer.advance_clock(0) else ROUNDING_S
            if purge is not None:
                purge()
    finally:
        timer.on_earlier(None)


def _deadline(timer: SystemTimer) -> float:
    """When to wake up, by trio's clock."""
    return trio.current_time() + (timer.next_expiration_ms - timer.now_ms()) / 1000
