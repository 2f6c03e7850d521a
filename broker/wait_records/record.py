"""One request's wait, from the moment it had been read until its answer was with the kernel.

    arrived --queued--> started --local--> parked --parked--> completed --send--> sent
                                  `---------- or answered at once: local --------^

A record holds numbers and names, never a client's data; it becomes a dict of what JSON can hold
only when somebody wants to see it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from broker.common.topic_partition import TopicPartition
from broker.steps.stalls import Stall
from broker.wait_records.causes import ARRIVED, REFUSED, Cause
from protocol.api_names import api_name
from protocol.headers import RequestHeader

SCHEMA = 1

Size = tuple[int, int]  # records, bytes
# A partition as it is noted: its offset, size and error, the high watermark and the log end. The
# fields of `PartitionFacts`, at a third of the cost to a request.
Noted = tuple[TopicPartition, int, Size, int, int, int]


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
        "arrived_ms",
        "arrived_us",
        "checks",
        "completed_ms",
        "connection",
        "ended_by",
        "error",
        "follower",
        "header",
        "node",
        "noted",
        "parked_ms",
        "purgatory",
        "sent_ms",
        "stalled_by",
        "started_ms",
        "timeout_ms",
        "waited_for",
    )

    def __init__(
        self,
        header: RequestHeader,
        node: int,
        connection: int,
        arrived_ms: float,
        started_ms: float,
    ) -> None:
        self.header = header
        self.node = node
        self.connection = connection
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
        self.ended_by: Cause | None = None  # None: the answer needed nobody else
        self.noted: Sequence[Noted] = ()
        self.error = 0
        self.stalled_by: Stall | None = None  # a step of the loop that others took
        # A node that replicates from another; not told, for its client id says so.
        self.follower = False

    @property
    def cause(self) -> Cause:
        """What ended the wait, or why there was none."""
        if self.ended_by is not None:
            return self.ended_by
        if self.error:
            return REFUSED
        for _, _, _, error, _, _ in self.noted:
            if error:
                return REFUSED
        return ARRIVED

    @property
    def partitions(self) -> list[PartitionFacts]:
        """What was noted of each partition."""
        return [
            PartitionFacts(*key, offset, *size, error, high_watermark, log_end_offset)
            for key, offset, size, error, high_watermark, log_end_offset in self.noted
        ]

    def phases_us(self) -> tuple[int, int, int, int]:
        """Queued, local, parked and send."""
        started_ms, completed_ms = self.started_ms, self.completed_ms
        handled_ms = completed_ms if self.parked_ms is None else self.parked_ms
        return (
            round((started_ms - self.arrived_ms) * 1000),
            round((handled_ms - started_ms) * 1000),
            round((completed_ms - handled_ms) * 1000),
            round((self.sent_ms - completed_ms) * 1000),
        )

    def told(self) -> dict[str, Any]:
        """The record as its readers know it; phases are whole microseconds and add up."""
        header = self.header
        queued, local, parked, send = self.phases_us()
        return {
            "schema": SCHEMA,
            "node": self.node,
            "connection": self.connection,
            "client_id": header.client_id,
            "correlation_id": header.correlation_id,
            "api": api_name(header.api_key),
            "version": header.api_version,
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
            "stalled_by": None if self.stalled_by is None else self.stalled_by.facts(),
            "partitions": [each._asdict() for each in self.partitions],
            "error": int(self.error),
        }
