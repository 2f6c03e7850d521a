"""The lock on the records of one acquisition, which a timer ends.

Kafka schedules a task for each batch, and for each offset of a batch whose offsets differ. Here all
runs that one fetch acquires, or one request renews, share a task; it is cancelled when the last of
them is released.
"""

from __future__ import annotations

from collections.abc import Callable

from purgatories.timer.timer_task import TimerTask


class AcquisitionLock(TimerTask):
    """Locks runs of offsets in [``first``, ``last``] for ``delay_ms``; ``holders`` counts them."""

    __slots__ = ("_on_expired", "first", "holders", "last", "member_id")

    def __init__(
        self,
        duration_ms: int,
        member_id: str,
        on_expired: Callable[[AcquisitionLock], object],
    ) -> None:
        super().__init__(duration_ms)
        self.member_id = member_id
        self.first, self.last = -1, -1
        self.holders = 0
        self._on_expired = on_expired

    def extend(self, first: int, last: int) -> None:
        """Lock one more run; runs come in the order of their offsets."""
        if not self.holders:
            self.first = first
        self.last = last
        self.holders += 1

    def release(self) -> None:
        """Unlock one run."""
        assert self.holders > 0
        self.holders -= 1
        if not self.holders:
            self.cancel()

    def run(self) -> None:
        """End the lock of the runs that still have it."""
        if self.holders:
            self._on_expired(self)
