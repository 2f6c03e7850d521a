"""Limits the number and the rate of a node's connections (Kafka's ``ConnectionQuotas``).

At ``max.connections``, and when connections are created faster than
``max.connection.creation.rate``, the node accepts none: they wait in the listener's backlog, as in
Kafka, and the operating system refuses those for which the backlog has no room. Above
``max.connections.per.ip`` a connection is accepted and closed. All limits may change while the node
runs, and apply to new connections.
"""

from __future__ import annotations

import math
from collections import Counter

import trio

from broker.config import Config
from broker.config.kinds import INT_MAX, counts_by_address
from broker.quotas.rate import Rate
from broker.quotas.throttled_channel import ThrottledChannel
from purgatories.timer.system_timer import SystemTimer


class ConnectionQuotas:
    """Counts the connections of a node, by client address."""

    def __init__(self, config: Config, timer: SystemTimer) -> None:
        self._config = config
        self._timer = timer
        self._counts: Counter[str] = Counter()
        self._total = 0
        self._window_ms = config.quota_window_size_seconds * 1000
        self._creations = Rate(config.quota_window_num, self._window_ms)
        self._throttled = False
        self._changed = trio.Event()

    @property
    def may_accept(self) -> bool:
        """Whether a connection may be accepted now."""
        return not self._throttled and self._total < self._config.max_connections

    async def acceptable(self) -> None:
        """Wait until a connection may be accepted."""
        while not self.may_accept:
            await self._changed.wait()

    def reconfigured(self) -> None:
        """Check the limits again, since they may have changed."""
        self._changed.set()
        self._changed = trio.Event()

    def admit(self, address: str) -> bool:
        """Count an accepted connection.

        False if its address has too many, and it must be closed.
        """
        self._note_creation()
        if self._counts[address] >= self._most_of(address):
            return False
        self._counts[address] += 1
        self._total += 1
        return True

    def leave(self, address: str) -> None:
        """An admitted connection is closed."""
        assert self._counts[address] > 0
        self._total -= 1
        self._counts[address] -= 1
        if not self._counts[address]:
            del self._counts[address]
        if self._total == self._config.max_connections - 1:
            self.reconfigured()

    def _most_of(self, address: str) -> int:
        overrides = counts_by_address(self._config.max_connections_per_ip_overrides)
        return overrides.get(address, self._config.max_connections_per_ip)

    def _note_creation(self) -> None:
        limit = self._config.max_connection_creation_rate
        if limit == INT_MAX:
            return
        now_ms = self._timer.now_ms()
        self._creations.record(1, now_ms)
        excess = self._creations.per_second(now_ms) - limit
        if excess <= 0:
            return
        share = excess / limit if limit else math.inf
        # At most one window, as in Kafka.
        throttle_ms = min(share * self._creations.elapsed_ms(now_ms), self._window_ms)
        self._throttled = True
        ThrottledChannel(self._timer, math.ceil(throttle_ms), self._resume)

    def _resume(self) -> None:
        self._throttled = False
        self.reconfigured()
