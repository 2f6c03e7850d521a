"""One task that serves all connections of a node, in turn and in short steps.

    wait --> step: [ poll | serve each ready channel once | those with more to do go to the end ]
      ^               ^                                                     |
      `-- none left   `---------------- within `SERVING_STEP_MS` -----------'

A channel with many requests is served for `SERVING_TURN_MS`, then those that have become ready
meanwhile, so that a request waits for one turn of each other connection at most. After a step other
tasks run: timers, followers, the admin interface.

Handshakes of TLS take a millisecond for each message. They are served one in each step.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import trio

from broker.network.channel import Channel
from broker.network.connection import Connection
from broker.network.driver import Driver
from broker.network.in_progress import CloseReason
from broker.network.memory_pool import MemoryPool
from broker.network.poller import Poller
from broker.network.system_poller import system_poller
from broker.network.transport import Transport
from broker.steps.limits import SERVING_STEP_MS, SERVING_TURN_MS


class ServingTask:
    """Serves connections while `run` runs, and closes them in the end (``has_ended``).

    *now_ms* is a monotonic clock that advances while a step runs. *memory* is what the connections
    share. *make_poller* makes the poller.
    """

    def __init__(
        self,
        memory: MemoryPool | None,
        now_ms: Callable[[], float],
        make_poller: Callable[[trio.Nursery], Poller] = system_poller,
    ) -> None:
        self._now_ms = now_ms
        self._make_poller = make_poller
        self._poller: Poller | None = None
        self._channels: dict[Channel, None] = {}  # in order, so that a run can be repeated
        self._ready: deque[Channel] = deque()
        self._opening: deque[Channel] = deque()
        self._unfinished: list[Channel] = []  # their turn was over
        self._lacking: dict[Channel, None] = {}  # they wait for memory
        # Those that were ready at the last poll. The poller would report them again, so it is not
        # called before they have been served, which takes several steps if they are thousands.
        self._left_in_round = 0
        self._turn_ends_ms = 0.0
        self._is_stepping = False
        self.has_ended = False
        if memory is not None:
            memory.on_freed = self._memory_freed

    def open(
        self,
        transport: Transport,
        connect: Callable[[Driver], Connection],
        on_end: Callable[[Connection], object],
    ) -> Connection:
        """Serve the connection that *connect* makes; *on_end* is called when it has ended."""
        channel = Channel(self, transport, connect, on_end)
        self._channels[channel] = None
        self.enqueue(channel)
        if self.has_ended:
            self._close_all()
        return channel.connection

    async def run(self) -> None:
        """Serve until cancelled."""
        async with trio.open_nursery() as nursery:
            self._poller = poller = self._make_poller(nursery)
            try:
                while True:
                    if self._step(poller):
                        await trio.lowlevel.checkpoint()
                    else:
                        await poller.wait()
            finally:
                self.has_ended = True
                self._close_all()
                poller.close()

    def enqueue(self, channel: Channel) -> None:
        """See `Queue.enqueue`."""
        channel.is_queued = True
        (self._opening if channel.is_opening else self._ready).append(channel)
        if not self._is_stepping and self._poller is not None:
            self._poller.wake()

    def await_memory(self, channel: Channel) -> None:
        """See `Queue.await_memory`."""
        self._lacking[channel] = None

    def is_turn_over(self) -> bool:
        """See `Driver.is_turn_over`."""
        return self._now_ms() >= self._turn_ends_ms

    def _step(self, poller: Poller) -> bool:
        """Serve the channels that are ready; returns whether more are."""
        ready, opening, now_ms = self._ready, self._opening, self._now_ms
        at_ms = now_ms()
        ends_ms = at_ms + SERVING_STEP_MS
        has_polled = False
        self._is_stepping = True
        try:
            while at_ms < ends_ms:
                if not self._left_in_round:
                    if has_polled and not (ready or self._unfinished):
                        break
                    self._poll(poller)
                    has_polled = True
                    self._left_in_round = len(ready)
                    if not ready:
                        break
                self._left_in_round -= 1
                self._turn_ends_ms = at_ms + SERVING_TURN_MS
                self._serve(ready.popleft(), poller)
                at_ms = now_ms()
            if opening:
                self._turn_ends_ms = at_ms + SERVING_TURN_MS
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

    def _serve(self, channel: Channel, poller: Poller) -> None:
        connection, is_due = channel.connection, False
        if not connection.is_closed:
            if channel.has_begun:
                is_due = channel.serve()
            else:
                channel.begin(poller)
        if connection.is_closed:
            self._end(channel)
        elif is_due:
            (self._opening if channel.is_opening else self._unfinished).append(channel)
        else:
            channel.is_queued = False

    def _end(self, channel: Channel) -> None:
        self._channels.pop(channel, None)
        self._lacking.pop(channel, None)
        channel.on_end(channel.connection)

    def _close_all(self) -> None:
        for channel in list(self._channels):
            channel.connection.close(CloseReason.SHUTDOWN)
            self._end(channel)

    def _memory_freed(self) -> None:
        """Let the channels that wait for memory receive; the first of them may take all of it."""
        lacking, self._lacking = self._lacking, {}
        for channel in lacking:
            channel.memory_freed()
