"""The open connections of a node's clients, and what they share."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from heapq import nsmallest

from broker.common.do_nothing import do_nothing
from broker.common.state_changes import StateChanges
from broker.config import Config
from broker.network.clients.connection import Connection, OnBug
from broker.network.clients.connection_setup import Opening
from broker.network.serving.driver import Driver
from broker.network.serving.memory_pool import MemoryPool
from broker.network.serving.node_channels import NodeChannels
from protocol.framing import Scratch
from purgatories.timer.system_timer import SystemTimer

log = logging.getLogger("antechamber.connection")


class Connections:
    """Opens connections, and iterates over those that are open.

    The limits are those that *config* has when a connection is opened. *channels* serve them, and
    *memory* bounds what they hold. *changes* is notified when one has ended. See `Connection` for
    the other arguments; ``on_bug`` is also called for a connection that cannot be opened.
    """

    def __init__(
        self,
        config: Config,
        timer: SystemTimer,
        scratch: Scratch,
        on_bug: OnBug,
        changes: StateChanges,
        channels: NodeChannels,
        memory: MemoryPool | None,
    ) -> None:
        self.memory = memory
        self.on_bug = on_bug
        self._config = config
        self._timer = timer
        self._scratch = scratch
        self._changes = changes
        self._open: set[Connection] = set()
        self._channels = channels

    def __len__(self) -> int:
        return len(self._open)

    def __iter__(self) -> Iterator[Connection]:
        return iter(self._open)

    def open(self, opening: Opening, on_end: Callable[[], object] = do_nothing) -> Connection:
        """Open a connection; *on_end* is called after it."""
        return self._channels.open(
            opening.transport,
            lambda driver: self._connect(opening, driver),
            lambda connection: self._ended(opening, on_end, connection),
        )

    def close_least_recently_used(self, count: int, protected: str | None) -> None:
        """Close connections that nothing was received on or sent to for the longest time.

        *count* connections are closing afterwards, or all but those of the listener *protected*.
        """
        closing = sum(each.is_closed for each in self._open)
        others = (
            each for each in self._open if not each.is_closed and each.session.listener != protected
        )
        for each in nsmallest(count - closing, others, key=lambda each: each.active_ms):
            log.info("closing connection from %s: the node has max.connections", each.peer)
            each.close()

    def _connect(self, opening: Opening, driver: Driver) -> Connection:
        connection = Connection(
            opening.transport,
            driver,
            opening.dispatch,
            request_bytes_max=opening.request_bytes_max,
            scratch=self._scratch,
            timer=self._timer,
            idle_ms=self._config.connections_max_idle_ms,
            memory=self.memory,
            on_bug=self.on_bug,
            session=opening.session,
            refuse_length=opening.refuse_length,
        )
        self._open.add(connection)
        return connection

    def _ended(
        self, opening: Opening, on_end: Callable[[], object], connection: Connection
    ) -> None:
        if not self._channels.has_ended:
            connection.client.ended()
        # Those of a login refer to the connection, and would keep its memory.
        connection.authenticator, connection.dispatch = None, opening.dispatch
        self._open.discard(connection)
        self._changes.notify()
        on_end()
