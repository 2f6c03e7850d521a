"""The channels of one node, in the serving task that all nodes share.

They end together when the node stops, and those of clients share the node's memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import trio

from broker.network.serving.channel import Channel
from broker.network.serving.driver import Driver
from broker.network.serving.memory_pool import MemoryPool
from broker.network.serving.served import Served
from broker.network.serving.serving_task import ServingTask
from broker.network.transports.transport import Transport

S = TypeVar("S", bound=Served)


class NodeChannels:
    """Opens channels in *serving*, and closes them in the end (``has_ended``).

    *memory* is what the connections of clients share.
    """

    __slots__ = ("_channels", "_lacking", "_serving", "has_ended")

    def __init__(self, serving: ServingTask, memory: MemoryPool | None = None) -> None:
        self._serving = serving
        self._channels: dict[Channel, None] = {}  # in order, so that a run can be repeated
        self._lacking: dict[Channel, None] = {}  # they wait for memory
        self.has_ended = False
        if memory is not None:
            memory.on_freed = self._memory_freed
        serving.add(self)

    def open(
        self, transport: Transport, connect: Callable[[Driver], S], on_end: Callable[[S], object]
    ) -> S:
        """Serve what *connect* makes; *on_end* is called when it has ended."""
        channel = Channel(self._serving, self, transport, on_end)
        channel.served = served = connect(channel)
        self._channels[channel] = None
        self._serving.enqueue(channel)
        if self.has_ended:
            self._close_all()
        return served

    async def run(self) -> None:
        """Close the channels when this is cancelled."""
        try:
            await trio.sleep_forever()
        finally:
            self.close()

    def close(self) -> None:
        """Close all channels, and later ones when they are opened; closing again does nothing."""
        self.has_ended = True
        self._close_all()
        self._serving.remove(self)

    def await_memory(self, channel: Channel) -> None:
        """See `Group.await_memory`."""
        self._lacking[channel] = None

    def ended(self, channel: Channel) -> None:
        """See `Group.ended`."""
        if channel in self._channels:
            del self._channels[channel]
            self._lacking.pop(channel, None)
            channel.on_end(channel.served)
            channel.release()

    def _close_all(self) -> None:
        for channel in list(self._channels):
            channel.served.shut_down()
            self.ended(channel)

    def _memory_freed(self) -> None:
        """Let the channels that wait for memory receive; the first of them may take all of it."""
        lacking, self._lacking = self._lacking, {}
        for channel in lacking:
            channel.memory_freed()
