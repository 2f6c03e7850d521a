"""Limits the number and the rate of one listener's connections, besides those of its node.

``listener.name.X.max.connections`` and ``listener.name.X.max.connection.creation.rate`` may change
while the node runs. Without the prefix the keys limit the node and each of its listeners. The
inter-broker listener is exempt from the node's limits if there are others
(``ConnectionQuotas.protectedListener``).
"""

from __future__ import annotations

from broker.config import Config
from broker.config.kinds import INT_MAX
from broker.quotas.connection_quotas import ConnectionQuotas
from broker.quotas.creation_rate import CreationRate


class ListenerQuotas:
    """Counts the connections of *listener*, also in *quotas*, those of its node."""

    def __init__(
        self, quotas: ConnectionQuotas, config: Config, listener: str, *, is_exempt: bool
    ) -> None:
        self.is_exempt = is_exempt
        self._quotas = quotas
        self._config = config
        self._listener = listener
        self._total = 0
        self._most = INT_MAX
        self._rate = CreationRate(config, quotas.timer, quotas.notify)
        self._read_limits()
        quotas.when_reconfigured(self._read_limits)

    @property
    def may_accept(self) -> bool:
        """Whether a connection may be accepted now."""
        return (
            not self._rate.is_throttled
            and self._total < self._most
            and (self.is_exempt or self._quotas.may_accept)
        )

    async def acceptable(self) -> None:
        """Wait until a connection may be accepted."""
        while not self.may_accept:
            await self._quotas.changed()

    def record(self, address: str) -> int:
        """Count an accepted connection in the rates.

        Returns the throttle time in milliseconds: if it is not 0, the address exceeds its quota,
        and the connection is not to be admitted, but to be closed after that time.
        """
        self._rate.record()
        if not self.is_exempt:
            self._quotas.record()
        return self._quotas.address_rates.record(address)

    def admit(self, address: str) -> bool:
        """Count an accepted connection as open.

        False if its address has too many, and it must be closed.
        """
        if not self._quotas.admit(address):
            return False
        self._total += 1
        return True

    def leave(self, address: str) -> None:
        """Count an admitted connection no more, because it is closed."""
        self._total -= 1
        self._quotas.leave(address)
        if self._total == self._most - 1:
            self._quotas.notify()

    def _read_limits(self) -> None:
        self._most = self._limit("max.connections")
        self._rate.limit = self._limit("max.connection.creation.rate")

    def _limit(self, key: str) -> int:
        limit = self._config.for_listener(self._listener, key)
        assert isinstance(limit, int)
        return limit
