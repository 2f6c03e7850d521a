"""A group coordinator in virtual time: its timers are driven by hand, nothing sleeps."""

from __future__ import annotations

from typing import Any

from broker.config import Config
from broker.groups.coordinator import GroupCoordinator
from broker.groups.offset_store import OffsetStore
from purgatories.purgatory import DelayedOperationPurgatory
from purgatories.timer.system_timer import SystemTimer

EPOCH_MS = 1_700_000_000_000


class ManualClock:
    """A clock that stands still unless it is told otherwise."""

    def __init__(self) -> None:
        self.time_ms = 0.0

    def now_ms(self) -> float:
        return self.time_ms

    def wall_ms(self) -> int:
        return EPOCH_MS + int(self.time_ms)

    def wall_us_at(self, now_ms: float) -> int:
        return int((EPOCH_MS + now_ms) * 1000)


class VirtualWorld:
    """A coordinator, its clock, and its two purgatories."""

    def __init__(self, config: Config | None = None, store: OffsetStore | None = None) -> None:
        self.clock = ManualClock()
        self._timers: list[SystemTimer] = []
        self.rebalances = self._purgatory("Rebalance")
        self.heartbeats = self._purgatory("Heartbeat")
        self.coordinator = GroupCoordinator(
            config or Config(), self.clock, self.rebalances, self.heartbeats, store
        )

    def now_ms(self) -> float:
        """Time since the world began."""
        return self.clock.now_ms()

    def wait(self, duration_ms: float) -> None:
        """Let time pass, from one expiration to the next, so that each happens when it is due."""
        until_ms = self.clock.time_ms + duration_ms
        while True:
            next_ms = min(timer.next_expiration_ms for timer in self._timers)
            self.clock.time_ms = max(self.clock.time_ms, min(next_ms, until_ms))
            for timer in self._timers:
                timer.advance_clock(0)
            if next_ms > until_ms:
                return

    def _purgatory(self, name: str) -> DelayedOperationPurgatory[Any]:
        timer = SystemTimer(name, now_ms=self.clock.now_ms)
        self._timers.append(timer)
        return DelayedOperationPurgatory(name, timer)
