"""A rate per second over the last few time windows (Kafka's ``Rate``).

    |--sample--|--sample--|          |--sample--|-now
     a sample covers one window from its first event on; samples with an older last event than all
     windows are empty, and time without samples counts as empty windows

The measured time is at least all windows but one, so that an initial burst is averaged over them.
"""

from __future__ import annotations

import math

from broker.common.java_numbers import round_to_long
from protocol.lazy_dataclass import dataclass


@dataclass(slots=True)
class _Sample:
    """The amount recorded from ``start_ms`` on, last at ``last_ms``."""

    start_ms: float
    last_ms: float
    sum: float = 0.0

    def reset(self, now_ms: float) -> None:
        """Restart the sample now."""
        self.start_ms = self.last_ms = now_ms
        self.sum = 0.0


class Rate:
    """A rate over ``samples`` windows of ``window_ms``."""

    __slots__ = ("_current", "_samples", "_samples_max", "_window_ms")

    def __init__(self, samples: int, window_ms: int) -> None:
        # One more than the windows: a sample may begin before the measured time and end in it.
        self._samples_max = samples + 1
        self._window_ms = window_ms
        self._samples: list[_Sample] = []
        self._current = 0

    def record(self, amount: float, now_ms: float) -> None:
        """Record *amount*; a negative amount undoes an earlier one."""
        if not self._samples:
            self._samples.append(_Sample(now_ms, now_ms))
        sample = self._samples[self._current]
        if now_ms - sample.start_ms >= self._window_ms:
            sample = self._advance(now_ms)
        sample.sum += amount
        sample.last_ms = now_ms

    def per_second(self, now_ms: float) -> float:
        """The rate per second."""
        elapsed_ms = self.elapsed_ms(now_ms)
        return sum(sample.sum for sample in self._samples) / elapsed_ms * 1000

    def throttle_time_ms(self, per_second: float, now_ms: float) -> int:
        """How long nothing must be used until the rate is at most *per_second*.

        Kafka's ``QuotaUtils.throttleTime``: up to 64 bits.
        """
        excess = self.per_second(now_ms) - per_second
        if excess <= 0:
            return 0
        share = excess / per_second if per_second else math.inf
        return round_to_long(share * self.elapsed_ms(now_ms))

    def elapsed_ms(self, now_ms: float) -> float:
        """The measured time: since the oldest sample, at least all windows but one."""
        elapsed_ms = now_ms - self._oldest_ms(now_ms)
        missing = self._samples_max - 2 - int(elapsed_ms / self._window_ms)
        return max(elapsed_ms + max(missing, 0) * self._window_ms, 1)

    def is_idle(self, now_ms: float, idle_ms: float) -> bool:
        """Whether nothing was recorded for *idle_ms*."""
        return all(now_ms - sample.last_ms >= idle_ms for sample in self._samples)

    def _oldest_ms(self, now_ms: float) -> float:
        """The start of the oldest sample, of which there is one from now on."""
        self._forget_old(now_ms)
        if not self._samples:
            self._samples.append(_Sample(now_ms, now_ms))
        return min(sample.start_ms for sample in self._samples)

    def _advance(self, now_ms: float) -> _Sample:
        self._current = (self._current + 1) % self._samples_max
        if self._current == len(self._samples):
            self._samples.append(_Sample(now_ms, now_ms))
        else:
            self._samples[self._current].reset(now_ms)
        return self._samples[self._current]

    def _forget_old(self, now_ms: float) -> None:
        for sample in self._samples:
            if now_ms - sample.last_ms >= (self._samples_max - 1) * self._window_ms:
                sample.reset(now_ms)
