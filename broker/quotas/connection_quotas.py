"""Limits the number and the rate of a node's connections (Kafka's ``ConnectionQuotas``).

At ``max.connections``, and when connections are created faster than
``max.connection.creation.rate``, the node accepts none: they wait in the listener's backlog, as in
Kafka, and the operating system refuses those for which the backlog has no room. Above
``max.connections.per.ip`` a connection is accepted and closed, above the quota of its address
(`broker.quotas.address_rates`) after a delay. All limits may change while the node runs, and apply
to new connections.

``max.connections.per.ip.overrides`` may name hosts, whose addresses are looked up in the hosts file
when the configuration changes (`broker.quotas.addresses`).
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable

import trio

from broker.config import Config
from broker.config.kinds import counts_by_address
from broker.quotas.address_rates import AddressRates
from broker.quotas.addresses import canonical, canonical_host
from broker.quotas.creation_rate import CreationRate
from purgatories.timer.system_timer import SystemTimer

log = logging.getLogger("antechamber.quotas")


class ConnectionQuotas:
    """Counts the connections of a node, by client address."""

    def __init__(self, config: Config, timer: SystemTimer) -> None:
        self.timer = timer
        self.address_rates = AddressRates(config, timer.now_ms)
        self._config = config
        self._counts: Counter[str] = Counter()
        self._total = 0
        self._rate = CreationRate(config, timer, self.notify)
        self._changed = trio.Event()
        self._on_reconfigured: list[Callable[[], object]] = []
        self._overrides = ""
        self._most_by_address: dict[str, int] = {}
        self.reconfigured()

    @property
    def may_accept(self) -> bool:
        """Whether a connection may be accepted now."""
        return not self._rate.is_throttled and self._total < self._config.max_connections

    @property
    def excess(self) -> int:
        """How many connections more than ``max.connections`` there are."""
        return max(0, self._total - self._config.max_connections)

    async def changed(self) -> None:
        """Wait until a limit, or the number of connections at a limit, has changed."""
        await self._changed.wait()

    def notify(self) -> None:
        """Let those that wait for a change check their limits."""
        self._changed.set()
        self._changed = trio.Event()

    def when_reconfigured(self, read_limits: Callable[[], object]) -> None:
        """Call *read_limits* whenever the configuration has changed."""
        self._on_reconfigured.append(read_limits)

    def reconfigured(self) -> None:
        """Read the limits again: the configuration has changed."""
        self._rate.limit = self._config.max_connection_creation_rate
        if self._overrides != self._config.max_connections_per_ip_overrides:
            self._overrides = self._config.max_connections_per_ip_overrides
            self._most_by_address = _by_address(counts_by_address(self._overrides))
        for read_limits in self._on_reconfigured:
            read_limits()
        self.notify()

    def record(self) -> None:
        """Count a new connection in the rate of the node."""
        self._rate.record()

    def admit(self, address: str) -> bool:
        """Count a connection as open; False if its address has too many, and it must be closed."""
        address = canonical(address)
        most = self._most_by_address.get(address, self._config.max_connections_per_ip)
        if self._counts[address] >= most:
            return False
        self._counts[address] += 1
        self._total += 1
        if self._total > self._config.max_connections:
            self.notify()
        return True

    def leave(self, address: str) -> None:
        """Count an admitted connection no more, because it is closed."""
        address = canonical(address)
        assert self._counts[address] > 0
        self._total -= 1
        self._counts[address] -= 1
        if not self._counts[address]:
            del self._counts[address]
        if self._total == self._config.max_connections - 1:
            self.notify()


def _by_address(overrides: dict[str, int]) -> dict[str, int]:
    """The limits of hosts by address; of several names of one address the last one applies."""
    limits = dict[str, int]()
    for host, most in overrides.items():
        address = canonical_host(host)
        if address is None:
            log.warning("max.connections.per.ip.overrides: %r is not in the hosts file", host)
        else:
            limits[address] = most
    return limits
