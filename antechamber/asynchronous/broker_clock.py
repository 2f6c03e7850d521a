"""The asynchronous form of `antechamber.broker_clock`: made by `make docs`, do not edit."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

from anyio import move_on_after

from antechamber.asynchronous.admin_client import AsyncAdminClient
from antechamber.asynchronous.http_client import CLEANUP_TIMEOUT_S
from antechamber.broker_clock import ADVANCE_TIMEOUT_S, Advance
from antechamber.quantities import ADVANCE_MAX_S, decimal_speed, whole_milliseconds


class AsyncBrokerClock:
    """The methods that move the clock return what happened, as ``POST /v1/clock/advance``.

    They raise `AdminError` if there is no such event, or if it does not happen.
    """

    def __init__(self, client: AsyncAdminClient) -> None:
        self._client = client

    async def state(self) -> dict[str, Any]:
        """Return ``state``, ``speed``, ``now_us`` and ``next``, as ``GET /v1/clock``."""
        return await self._client.clock()

    async def freeze(self) -> None:
        """Stop the clock: requests are served, and nothing expires."""
        await self._client.adjust_clock("freeze")

    async def run(self, speed: float = 1.0) -> None:
        """Let the clock run, *speed* times as fast as real time: 0.001 to 1,000 times.

        Raises ``ValueError`` for another speed.
        """
        await self._client.adjust_clock("run", speed=decimal_speed(speed))

    @asynccontextmanager
    async def frozen(self) -> AsyncIterator[None]:
        """Freeze the clock in a ``with`` statement, and let it run afterwards."""
        await self.freeze()
        try:
            yield
        finally:
            with move_on_after(CLEANUP_TIMEOUT_S, shield=True):
                await self.run()

    async def advance(self, duration: float | timedelta) -> Advance:
        """Move the clock forwards by that many seconds.

        Raises ``ValueError`` for a duration that is negative or longer than 366 days.
        """
        return await self._advance(ms=whole_milliseconds("duration", duration, ADVANCE_MAX_S))

    async def advance_to_next_task(self) -> Advance:
        """Move the clock to the next task of any timer."""
        return await self._advance(to="timer")

    async def advance_to_session_end(self, member: str, group: str | None = None) -> Advance:
        """Move the clock until the group has removed a member that sends no heartbeats."""
        return await self._advance(to="session", member=member, group=group)

    async def advance_to_transaction_timeout(self, transactional_id: str) -> Advance:
        """Move the clock until the coordinator has aborted the open transaction."""
        return await self._advance(to="transaction", transactional_id=transactional_id)

    async def advance_to_request_timeout(
        self, api: str | None = None, client: str | None = None, correlation: int | None = None
    ) -> Advance:
        """Move the clock until a parked request has timed out: of those that match, the oldest."""
        return await self._advance(to="parked", api=api, client=client, correlation=correlation)

    async def advance_to_retention(self, topic: str, partition: int = 0) -> Advance:
        """Move the clock until the oldest records of the partition are deleted."""
        return await self._advance(to="retention", topic=topic, partition=partition)

    async def _advance(self, **wanted: str | int | None) -> Advance:
        return await self._client.advance_clock(ADVANCE_TIMEOUT_S, **wanted)
