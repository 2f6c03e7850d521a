"""The open connections of a node's clients, and what they share."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import trio

from broker.config import Config
from broker.network.connection import Connection, Dispatch, OnBug
from broker.network.connection_task import ConnectionTask
from broker.network.memory_pool import memory_pool
from broker.network.transport import Transport
from protocol.framing import Scratch
from purgatories.timer.system_timer import SystemTimer


class Connections:
    """Opens connections, and iterates over those that are open.

    The limits are those that *config* has when a connection is opened. See `Connection` for the
    other arguments.
    """

    def __init__(
        self,
        config: Config,
        dispatch: Dispatch,
        timer: SystemTimer,
        scratch: Scratch,
        on_bug: OnBug,
    ) -> None:
        self.memory = memory_pool(config.queued_max_request_bytes)
        self._config = config
        self._dispatch = dispatch
        self._timer = timer
        self._scratch = scratch
        self._on_bug = on_bug
        self._open: set[Connection] = set()

    def __len__(self) -> int:
        return len(self._open)

    def __iter__(self) -> Iterator[Connection]:
        return iter(self._open)

    def open(self, transport: Transport, nursery: trio.Nursery) -> ConnectionTask:
        """Open a connection, which begins when the task is passed to `serve`."""
        task = ConnectionTask(transport, nursery, self.memory, partial(self._connect, transport))
        self._open.add(task.connection)
        return task

    async def serve(self, task: ConnectionTask) -> None:
        """Serve an open connection until it is closed."""
        try:
            await task.run()
        finally:
            self._open.discard(task.connection)

    def _connect(self, transport: Transport, driver: ConnectionTask) -> Connection:
        config = self._config
        return Connection(
            transport,
            driver,
            self._dispatch,
            request_bytes_max=config.socket_request_max_bytes,
            scratch=self._scratch,
            timer=self._timer,
            idle_ms=config.connections_max_idle_ms,
            memory=self.memory,
            on_bug=self._on_bug,
        )
