"""One request's wait, from the moment it had been read until its answer was with the kernel.

    arrived --queued--> started --local--> parked --parked--> completed --send--> sent
                                  `---------- or answered at once: local --------^

A record holds numbers and names, never a client's data; it becomes a dict of what JSON can hold
only when somebody wants to see it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from broker.waits.causes import ARRIVED, Cause

SCHEMA = 1


class PartitionFacts(NamedTuple):
    """One partition's part; ``offset`` is the base offset of a produce, the start of a fetch."""

    topic: str
    partition: int
    offset: int
    records: int
    bytes: int
    error: int
    high_watermark: int
    log_end_offset: int


class WaitRecord:
    """What is noted of a request; times are the node's monotonic milliseconds."""

    __slots__ = (
        "api",
        "arrived_ms",
        "arrived_us",
        "cause",
        "checks",
        "client_id",
        "completed_ms",
        "connection",
        "correlation_id",
        "error",
        "follower",
        "node",
        "parked_ms",
        "partitions",
        "purgatory",
        "sent_ms",
        "started_ms",
        "timeout_ms",
        "version",
        "waited_for",
    )

    def __init__(
        self,
        node: int,
        connection: int,
        client_id: str | None,
        correlation_id: int,
        api: str,
        version: int,
        arrived_ms: float,
        started_ms: float,
        follower: bool = False,
    ) -> None:
        self.node = node
        self.connection = connection
        self.client_id = client_id
        self.correlation_id = correlation_id
        self.api = api
        self.version = version
        self.arrived_us = 0
        self.arrived_ms = arrived_ms
        self.started_ms = started_ms
        self.parked_ms: float | None = None
        self.completed_ms = started_ms
        self.sent_ms = started_ms
        self.purgatory: str | None = None
        self.waited_for: dict[str, Any] | None = None
        self.timeout_ms: int | None = None
        self.checks = 0
        self.cause: Cause = ARRIVED
        self.partitions: Sequence[PartitionFacts] = ()
        self.error = 0
        # A node that replicates from another; not told, for its client id says so.
        self.follower = follower

    def phases_us(self) -> tuple[int, int, int, int]:
        """Queued, local, parked and send."""
        handled_ms = self.completed_ms if self.parked_ms is None else self.parked_ms
        return (
            _us(self.started_ms - self.arrived_ms),
            _us(handled_ms - self.started_ms),
            _us(self.completed_ms - handled_ms),
            _us(self.sent_ms - self.completed_ms),
        )

    def told(self) -> dict[str, Any]:
        """The record as its readers know it; phases are whole microseconds and add up."""
        queued, local, parked, send = self.phases_us()
        return {
            "schema": SCHEMA,
            "node": self.node,
            "connection": self.connection,
            "client_id": self.client_id,
            "correlation_id": self.correlation_id,
            "api": self.api,
            "version": self.version,
            "arrived_us": self.arrived_us,
            "queued_us": queued,
            "local_us": local,
            "parked_us": parked,
            "send_us": send,
            "total_us": queued + local + parked + send,
            "purgatory": self.purgatory,
            "waited_for": self.waited_for,
            "timeout_ms": self.timeout_ms,
            "checks": self.checks,
            "completed_by": self.cause.told(),
            "partitions": [each._asdict() for each in self.partitions],
            "error": int(self.error),
        }


def _us(milliseconds: float) -> int:
    return round(milliseconds * 1000)
