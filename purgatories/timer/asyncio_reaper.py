"""The reaper as an asyncio task: sleeps until the earliest bucket expires.

    add (an earlier bucket) ----on_earlier----> the event is set
                                                     |
    wait for the event, or next_expiration_ms <-- loop --> advance_clock(0); purge()

While the timer is empty the task waits for the event alone, and the loop has no timer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from math import inf
from threading import get_ident

from .contained_purge import run_purge
from .system_timer import SystemTimer


async def run_reaper(timer: SystemTimer, purge: Callable[[], None] | None = None) -> None:
    """Drive *timer* until cancelled; its tasks run in this task, unless it has an executor.

    Tasks may be added from any thread. ``now_ms`` need not be the loop's clock, but must run at the
    same speed. An exception from *purge* is reported to the timer's ``on_error``.
    """
    loop = asyncio.get_running_loop()
    reaper_thread = get_ident()
    earlier = asyncio.Event()

    def wake() -> None:
        if get_ident() == reaper_thread:
            earlier.set()
        else:
            loop.call_soon_threadsafe(earlier.set)

    timer.on_earlier(wake)
    try:
        while True:
            earlier.clear()  # first: what is added from here on sets it again
            await _wait(loop, earlier, timer)
            if timer.advance_clock(0) and purge is not None:
                run_purge(timer, purge)
    finally:
        timer.on_earlier(None)


async def _wait(
    loop: asyncio.AbstractEventLoop, earlier: asyncio.Event, timer: SystemTimer
) -> None:
    """Wait until the earliest bucket has expired or an earlier one is added."""
    left_s = (timer.next_expiration_ms - timer.now_ms()) / 1000
    if left_s <= 0:
        await asyncio.sleep(0)
        return
    handle = None if left_s == inf else loop.call_later(left_s, earlier.set)
    try:
        await earlier.wait()
    finally:
        if handle is not None:
            handle.cancel()
