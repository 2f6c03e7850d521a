"""One task that serves the connections of all nodes, in turn and in short steps.

    wait --> step: [ poll | serve each ready channel once | those with more to do go to the end ]
      ^               ^                                                     |
      `-- none left   `---------------- within `SERVING_STEP_MS` -----------'

A channel with many requests is served for `SERVING_TURN_MS`, then those that have become ready
meanwhile, so that a request waits for one turn of each other connection at most. While none is, its
turn continues up to `SERVING_TURN_MAX_MS`. After a step other tasks run: timers, the admin
interface.

What a request completes on other connections, as the fetches that a produce ends, is sent for
several of them together: the code of the system that sends and that of the broker displace each
other from the caches of the processor.

Nodes share the task because a produce with three replicas makes nodes wake each other four times:
the leader sends to its followers, and they to the leader. Within one step this takes no pass of the
event loop. Handshakes of TLS take a millisecond for each message. They are served one in each step.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Protocol

import trio

from broker.network.polling.poller import Poller
from broker.network.polling.system_poller import system_poller
from broker.network.serving.channel import Channel
from broker.network.serving.served import Served
from broker.steps.limits import (
    SENT_TOGETHER_MAX,
    SENT_TOGETHER_MIN,
    SERVING_STEP_MS,
    SERVING_TURN_MAX_MS,
    SERVING_TURN_MS,
)


class Group(Protocol):
    """Channels that end together."""

    def close(self) -> None:
        """Close all channels, and call `ServingTask.remove`."""
        ...


class ServingTask:
    """Serves channels while `run` runs, and closes their groups in the end.

    *now_ms* is a monotonic clock that advances while a step runs. *make_poller* makes the poller.
    """

    def __init__(
        self,
        now_ms: Callable[[], float],
        make_poller: Callable[[trio.Nursery], Poller] = system_poller,
    ) -> None:
        self._now_ms = now_ms
        self._make_poller = make_poller
        self._poller: Poller | None = None
        self._groups: dict[Group, None] = {}  # in order, so that a run can be repeated
        self._ready: deque[Channel] = deque()
        self._opening: deque[Channel] = deque()
        self._unfinished: list[Channel] = []  # their turn was over
        self._sent = 0  # those of other connections that the request in progress has completed
        self._deferred: list[Served] = []  # those with a response that is sent with others
        # Those that were ready at the last poll. The poller would report them again, so it is not
        # called before they have been served, which takes several steps if they are thousands.
        self._left_in_round = 0
        self._turn_ends_ms = 0.0
        self._turn_ends_at_latest_ms = 0.0
        self._is_stepping = False

    def add(self, group: Group) -> None:
        """Close *group* when the task ends."""
        self._groups[group] = None

    def remove(self, group: Group) -> None:
        """Do not close *group*: it is closed."""
        self._groups.pop(group, None)

    async def run(self) -> None:
        """Serve until cancelled."""
        async with trio.open_nursery() as nursery:
            self._poller = poller = self._make_poller(nursery)
            try:
                while True:
                    if self._step(poller):
                        await poller.yield_to_others()
                    else:
                        await poller.wait()
            finally:
                for group in list(self._groups):
                    group.close()
                poller.close()

    def enqueue(self, channel: Channel) -> None:
        """See `Queue.enqueue`."""
        channel.is_queued = True
        (self._opening if channel.is_opening else self._ready).append(channel)
        if not self._is_stepping and self._poller is not None:
            self._poller.wake()

    def is_turn_over(self) -> bool:
        """See `Driver.is_turn_over`; looks for other channels if none is known to be ready."""
        now_ms, ready = self._now_ms(), self._ready
        if now_ms < self._turn_ends_ms:
            return False
        if ready or self._unfinished or now_ms >= self._turn_ends_at_latest_ms:
            return True
        assert self._poller is not None, "a channel is served"
        self._poller.poll()
        self._left_in_round = len(ready)
        self._turn_ends_ms = now_ms + SERVING_TURN_MS
        return bool(ready)

    def defer_send(self, served: Served) -> bool:
        """See `Driver.defer_send`; nothing is deferred between the steps.

        The first response that a request completes is sent at once: most requests complete one.
        Of many, as many are sent together as have been sent before.
        """
        if not self._is_stepping:
            return False
        if not self._sent:
            self._sent = 1
            return False
        self._deferred.append(served)
        if len(self._deferred) >= min(max(self._sent, SENT_TOGETHER_MIN), SENT_TOGETHER_MAX):
            self._send_together()
        return True

    def send_deferred(self) -> None:
        """See `Driver.send_deferred`."""
        if self._sent:
            self._send_together()
            self._sent = 0

    def _send_together(self) -> None:
        while self._deferred:
            deferred, self._deferred = self._deferred, []
            self._sent += len(deferred)
            for served in deferred:
                served.send_deferred()

    def _step(self, poller: Poller) -> bool:
        """Serve the channels that are ready, until none is; returns whether more are.

        A node that sends to another one makes its channel ready in the same step.
        """
        ready, opening, now_ms = self._ready, self._opening, self._now_ms
        at_ms = now_ms()
        ends_ms = at_ms + SERVING_STEP_MS
        self._is_stepping = True
        try:
            while at_ms < ends_ms:
                if not self._left_in_round:
                    self._poll(poller)
                    self._left_in_round = len(ready)
                    if not ready:
                        break
                self._left_in_round -= 1
                self._begin_turn(at_ms)
                self._serve(ready.popleft(), poller)
                at_ms = now_ms()
            if opening:
                self._begin_turn(at_ms)
                self._serve(opening.popleft(), poller)
        finally:
            self._is_stepping = False
        return bool(ready or opening or self._unfinished)

    def _poll(self, poller: Poller) -> None:
        """Find the channels that have become ready; unfinished ones are behind them."""
        poller.poll()
        if self._unfinished:
            self._ready.extend(self._unfinished)
            self._unfinished.clear()

    def _begin_turn(self, at_ms: float) -> None:
        self._turn_ends_ms = at_ms + SERVING_TURN_MS
        self._turn_ends_at_latest_ms = at_ms + SERVING_TURN_MAX_MS

    def _serve(self, channel: Channel, poller: Poller) -> None:
        served, is_due = channel.served, False
        if not served.is_closed:
            is_due = channel.serve() if channel.has_begun else channel.begin(poller)
            self.send_deferred()
        if served.is_closed:
            channel.group.ended(channel)
        elif is_due:
            (self._opening if channel.is_opening else self._unfinished).append(channel)
        else:
            channel.is_queued = False
