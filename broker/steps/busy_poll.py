"""Polls descriptors for a short time before a wait for them blocks, while waits are short.

    the last waits were short --> poll, let others have the core, poll ... --> ready: no sleep
                                                      |
                                                      `--> not ready in time: block

To wake a process whose core is idle takes 20 to 40 µs, which is as long as a small produce runs.
The next request of a client that sends one after the other arrives earlier than that.

Between two calls the process yields its core, so that one that can use it does not wait for the end
of the polling. It may get the core back milliseconds later, whereas a process that is woken gets it
at once. So it does not poll for a tenth of a second after that.

A wait that is not short ends the polling until waits are short again: a broker that gets a request
now and then sleeps in between. Linux polls in the same way before it halts the core of a virtual
machine (its governor `haltpoll`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Final

from broker.steps.limits import BUSY_POLL_MS

assert sys.platform == "linux"

# One short wait between long ones says nothing about the next: two requests arrive together now
# and then, also on a broker that has little to do.
_SHORT_WAITS: Final = 2

_POLLED_S: Final = BUSY_POLL_MS / 1000

# After another process has had the core, typically for 3 ms.
_PAUSE_S: Final = 0.1

# Pairs of a descriptor and its events.
Ready = list[tuple[int, int]]


class BusyPoll:
    """Waits by *poll*, the method of an epoll object, which returns *most* descriptors at most.

    *now_s* is the clock that waits are measured with. *has_cores* is whether the process that sends
    requests can run on another core. If not, nothing becomes ready while this one polls.
    """

    def __init__(
        self,
        poll: Callable[[float, int], Ready],
        most: int,
        now_s: Callable[[], float],
        has_cores: bool,
    ) -> None:
        self._poll = poll
        self._most = most
        self._now_s = now_s
        self._has_cores = has_cores
        self._short_waits = 0
        self._paused_until_s = 0.0

    def wait(self, left_s: float) -> Ready:
        """The descriptors that are ready; none if none has become ready within *left_s*."""
        began_s = self._now_s()
        if self._short_waits == _SHORT_WAITS and left_s > _POLLED_S and self._may_poll(began_s):
            ready = self._polled(began_s + _POLLED_S)
            if not ready:
                self._short_waits = 0
                ready = self._poll(left_s - _POLLED_S, self._most)
            return ready
        ready = self._poll(left_s, self._most)
        if self._now_s() - began_s > _POLLED_S:
            self._short_waits = 0
        elif self._short_waits < _SHORT_WAITS:
            self._short_waits += 1
        return ready

    def _may_poll(self, now_s: float) -> bool:
        return self._has_cores and now_s >= self._paused_until_s

    def _polled(self, until_s: float) -> Ready:
        """Those that become ready until then."""
        while True:
            ready = self._poll(0, self._most)
            now_s = self._now_s()
            if ready or now_s >= until_s:
                break
            os.sched_yield()
        if now_s > until_s + _POLLED_S:  # this process has not run for that long
            self._paused_until_s = now_s + _PAUSE_S
        return ready
