"""`BrokerClock`: the clock of a running broker, which can be frozen and moved forwards.

    kafka.clock.freeze()
    kafka.clock.advance(45)                            # a session of 45 seconds ends now
    kafka.clock.advance_to_transaction_timeout("billing-1")
    kafka.clock.run()

Everything in the broker that waits by time follows its clock. The clients have their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from antechamber.admin_client import AdminClient
from antechamber.quantities import ADVANCE_MAX_S, decimal_speed, whole_milliseconds

# The real time for which a call waits: a long advance has many steps.
ADVANCE_TIMEOUT_S = 600.0

Advance = dict[str, Any]


class BrokerClock:
    """The methods that move the clock return what happened, as ``POST /v1/clock/advance``.

    They raise `AdminError` if there is no such event, or if it does not happen.
    """

    def __init__(self, client: AdminClient) -> None:
        self._client = client

    def state(self) -> dict[str, Any]:
        """Return ``state``, ``speed``, ``now_us`` and ``next``, as ``GET /v1/clock``."""
        return self._client.clock()

    def freeze(self) -> None:
        """Stop the clock: requests are served, and nothing expires."""
        self._client.adjust_clock("freeze")

    def run(self, speed: float = 1.0) -> None:
        """Let the clock run, *speed* times as fast as real time: 0.001 to 1,000 times.

        Raises ``ValueError`` for another speed.
        """
        self._client.adjust_clock("run", speed=decimal_speed(speed))

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Freeze the clock in a ``with`` statement, and let it run afterwards."""
        self.freeze()
        try:
            yield
        finally:
            self.run()

    def advance(self, duration: float | timedelta) -> Advance:
        """Move the clock forwards by that many seconds.

        Raises ``ValueError`` for a duration that is negative or longer than 366 days.
        """
        return self._advance(ms=whole_milliseconds("duration", duration, ADVANCE_MAX_S))

    def advance_to_next_task(self) -> Advance:
        """Move the clock to the next task of any timer."""
        return self._advance(to="timer")

    def advance_to_session_end(self, member: str, group: str | None = None) -> Advance:
        """Move the clock until the group has removed a member that sends no heartbeats."""
        return self._advance(to="session", member=member, group=group)

    def advance_to_transaction_timeout(self, transactional_id: str) -> Advance:
        """Move the clock until the coordinator has aborted the open transaction."""
        return self._advance(to="transaction", transactional_id=transactional_id)

    def advance_to_request_timeout(
        self, api: str | None = None, client: str | None = None, correlation: int | None = None
    ) -> Advance:
        """Move the clock until a parked request has timed out: of those that match, the oldest."""
        return self._advance(to="parked", api=api, client=client, correlation=correlation)

    def advance_to_retention(self, topic: str, partition: int = 0) -> Advance:
        """Move the clock until the oldest records of the partition are deleted."""
        return self._advance(to="retention", topic=topic, partition=partition)

    def _advance(self, **wanted: str | int | None) -> Advance:
        return self._client.advance_clock(ADVANCE_TIMEOUT_S, **wanted)
