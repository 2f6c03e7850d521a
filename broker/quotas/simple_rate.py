"""A rate over the time since its oldest sample (Kafka's ``SimpleRate``)."""

from __future__ import annotations

from broker.quotas.rate import Rate


class SimpleRate(Rate):
    """As `Rate`, but time without samples before the oldest one does not count."""

    __slots__ = ()

    def elapsed_ms(self, now_ms: float) -> float:
        """The measured time: since the oldest sample, at least one window."""
        return max(now_ms - self._oldest_ms(now_ms), self._window_ms)
