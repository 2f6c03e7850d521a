"""Tokens that are spent, and refilled at a constant rate (Kafka's ``TokenBucket``, KIP-599).

The number may become negative: what was spent in excess is refilled before anything else may be.
"""

from __future__ import annotations


class TokenBucket:
    """A bucket that holds the tokens of ``burst_s`` seconds at most, and is full at first."""

    __slots__ = ("_burst_s", "_is_new", "_tokens", "_updated_ms")

    def __init__(self, burst_s: float) -> None:
        self._burst_s = burst_s
        self._tokens = 0.0
        self._updated_ms = 0.0
        self._is_new = True

    def tokens(self, per_second: float, now_ms: float) -> float:
        """The tokens that are left; *per_second* is the rate since the last call."""
        burst = per_second * self._burst_s
        refilled = self._tokens + per_second * (now_ms - self._updated_ms) / 1000
        self._tokens = burst if self._is_new else min(burst, refilled)
        self._updated_ms, self._is_new = now_ms, False
        return self._tokens

    def record(self, spent: float, per_second: float, now_ms: float) -> None:
        """Spend tokens."""
        self._tokens = self.tokens(per_second, now_ms) - spent

    def is_idle(self, now_ms: float, idle_ms: float) -> bool:
        """Whether it was not used for *idle_ms*."""
        return now_ms - self._updated_ms >= idle_ms
