"""The wait of a login that has failed: its response is delayed (KIP-306).

The delay slows down a client that tries many passwords, or that logs in again and again.
"""

from __future__ import annotations

from collections.abc import Callable

from broker.network.clients.in_progress import CloseReason
from broker.wait_records.causes import TIMED_OUT, Cause
from broker.wait_records.wait import Facts, Wait
from purgatories.timer.timer_task import TimerTask


class FailedAuthenticationWait(Wait):
    """Waits until the delay after the failed authentication is over, at ``expires_ms``."""

    __slots__ = ("_expires_ms", "_timeout_ms")
    purgatory = "FailedAuthentication"

    def __init__(self, timeout_ms: int, now_ms: float) -> None:
        self._timeout_ms = timeout_ms
        self._expires_ms = now_ms + timeout_ms

    @property
    def timeout_ms(self) -> int:
        """See `Wait`."""
        return self._timeout_ms

    def remaining_ms(self, now_ms: float) -> int:
        """See `Wait`."""
        return max(0, int(self._expires_ms - now_ms))

    def condition(self) -> Facts:
        """Nothing but the end of the delay."""
        return {"kind": "failed_authentication"}

    def cause(self, _present: Callable[[], Cause]) -> Cause:
        """The end of the delay."""
        return TIMED_OUT


class FailedRawToken:
    """A token without a header that has failed, while its connection waits (`InProgress`)."""

    is_computed = False

    def __init__(self, delay: TimerTask) -> None:
        self._delay = delay

    def abandon(self, _reason: CloseReason) -> None:
        """Cancel the delayed response, because the client has disconnected."""
        self._delay.cancel()
