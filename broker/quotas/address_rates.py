"""The quotas ``connection_creation_rate`` of client addresses (KIP-612).

A connection above the quota of its address is closed after a delay, and is not counted in the rate
of the address (``ConnectionQuotas.recordIpConnectionMaybeThrottle``).
"""

from __future__ import annotations

from collections.abc import Callable

from broker.config import Config
from broker.quotas.addresses import canonical
from broker.quotas.entity import CONNECTION_CREATION_RATE, IP, Entity, Quotas
from broker.quotas.rate import Rate

# Kafka removes the sensors of an address after an hour without use.
_IDLE_MS = 3_600_000


class AddressRates:
    """Measures the rates of the addresses that have a quota of their own or the default one."""

    def __init__(self, config: Config, now_ms: Callable[[], float]) -> None:
        self._windows = config.quota_window_num
        self._window_ms = config.quota_window_size_seconds * 1000
        self._now_ms = now_ms
        self._limits: dict[str | None, float] = {}
        self._rates: dict[str, Rate] = {}

    def put(self, entity: Entity, quotas: Quotas) -> None:
        """Apply the quotas of *entity* from now on; the measured rates stay.

        Of several names of one address the latest change applies, as in Kafka.
        """
        for kind, name in entity:
            if kind == IP:
                address = None if name is None else canonical(name)
                if CONNECTION_CREATION_RATE in quotas:
                    self._limits[address] = quotas[CONNECTION_CREATION_RATE]
                else:
                    self._limits.pop(address, None)

    def forget_usage(self) -> None:
        """Remove the rates of all addresses."""
        self._rates.clear()

    def record(self, name: str) -> int:
        """Count a new connection of an address; returns its throttle time in milliseconds.

        If it is not 0 the connection is to be closed after that time, at most one window.
        """
        if not self._limits:
            return 0
        address = canonical(name)
        limit = self._limits.get(address, self._limits.get(None))
        if limit is None:
            return 0
        now_ms, rate = self._now_ms(), self._rates.get(address)
        if rate is None:
            rate = self._rates[address] = Rate(self._windows, self._window_ms)
        rate.record(1, now_ms)
        throttle_ms = min(rate.throttle_time_ms(limit, now_ms), self._window_ms)
        if throttle_ms:
            rate.record(-1, now_ms)
        return throttle_ms

    def remove_idle(self) -> None:
        """Remove the rates of addresses that are inactive for an hour."""
        now_ms = self._now_ms()
        self._rates = {
            each: rate for each, rate in self._rates.items() if not rate.is_idle(now_ms, _IDLE_MS)
        }
