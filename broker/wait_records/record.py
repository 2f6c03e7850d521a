"""The record of one request, from the time it was read until its response was in the socket.

    arrived --queued--> started --local--> parked --parked--> completed --send--> sent
                                  |           ^-- local <--'      ^
                                  `-- or responded to at once ----'

A request may wait several times: the first batch of a transaction waits for the coordinator and
then for its replication.

A record holds numbers and names, and no data of a client. It is converted to values that JSON can
hold only when it is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from broker.common.topic_partition import TopicPartition
from broker.quotas.throttle import Throttle
from broker.security.session import Session
from broker.steps.stalls import Stall
from broker.wait_records.causes import ARRIVED, REFUSED, Cause
from protocol.api_names import api_name
from protocol.headers import RequestHeader

SCHEMA = 1

Size = tuple[int, int]  # records, bytes
# Partition, offset, size, error, high watermark, log end offset: the fields of `PartitionFacts`.
# A NamedTuple takes three times as long to make, for each partition of each request.
PartitionResult = tuple[TopicPartition, int, Size, int, int, int]


class PartitionFacts(NamedTuple):
    """A partition's part; ``offset`` is the base offset of a produce, the start of a fetch."""

    topic: str
    partition: int
    offset: int
    records: int
    bytes: int
    error: int
    high_watermark: int
    log_end_offset: int


class WaitRecord:
    """The fields of docs/reference/records.md; times are the node's monotonic milliseconds.

    ``session`` is the client when the request arrived: a login does not change its own record.
    ``parked_ms`` is the beginning of the present wait, None while the request does not wait;
    ``waited_ms`` is the length of all waits that have ended. The wait is the last one;
    ``earlier_waits`` has those before it. ``ended_by`` is None if the request did not wait or the
    cause is unknown. ``stalled_by`` is the step of the loop that delayed the request.
    ``throttle`` is that of a quota which the request's client has exceeded, and ``muted_by`` that
    of an earlier request, for which this one was queued. ``fault`` is the fault rule that fired on
    the request. ``checked`` are the events after which the condition of the last wait was checked
    and not met, if they are observed, each with the milliseconds since the wait began. ``traces``
    are the ``traceparent`` headers of the request's records, if they are read; the field is absent
    if there are none. ``unknown_topics`` are those that a Metadata request named and that did not
    exist; ``preferred_read_replicas`` are the nodes that a Fetch directs its consumer to; these
    fields, too, are absent if there are none. ``follower``, which is no field, says whether a
    follower sent the request.
    """

    __slots__ = (
        "arrived_ms",
        "arrived_us",
        "checked",
        "checks",
        "completed_ms",
        "connection",
        "earlier_waits",
        "ended_by",
        "error",
        "fault",
        "follower",
        "header",
        "muted_by",
        "node",
        "parked_ms",
        "preferred_read_replicas",
        "purgatory",
        "results",
        "sent_ms",
        "session",
        "stalled_by",
        "started_ms",
        "throttle",
        "timeout_ms",
        "traces",
        "unknown_topics",
        "waited_for",
        "waited_ms",
    )

    def __init__(
        self,
        header: RequestHeader,
        session: Session,
        node: int,
        connection: int,
        arrived_ms: float,
        started_ms: float,
    ) -> None:
        self.header = header
        self.session = session
        self.node = node
        self.connection = connection
        self.arrived_us = 0
        self.arrived_ms = arrived_ms
        self.started_ms = started_ms
        self.parked_ms: float | None = None
        self.waited_ms = 0.0
        self.earlier_waits: Sequence[dict[str, Any]] = ()
        self.completed_ms = started_ms
        self.sent_ms = started_ms
        self.purgatory: str | None = None
        self.waited_for: dict[str, Any] | None = None
        self.timeout_ms: int | None = None
        self.checks = 0
        self.checked: list[tuple[float, Cause]] = []
        self.ended_by: Cause | None = None
        self.results: list[PartitionResult] = []
        self.error = 0
        self.stalled_by: Stall | None = None
        self.throttle: Throttle | None = None
        self.muted_by: Throttle | None = None
        self.fault: dict[str, Any] | None = None
        self.follower = False
        self.traces: Sequence[str] = ()
        self.unknown_topics: Sequence[str] = ()
        self.preferred_read_replicas: Sequence[int] = ()

    @property
    def cause(self) -> Cause:
        """The cause of the completion; ARRIVED or REFUSED if the request did not wait."""
        if self.ended_by is not None:
            return self.ended_by
        if self.error:
            return REFUSED
        for _, _, _, error, _, _ in self.results:
            if error:
                return REFUSED
        return ARRIVED

    @property
    def partitions(self) -> list[PartitionFacts]:
        """The results, each with the names of its fields."""
        return [
            PartitionFacts(*key, offset, *size, error, high_watermark, log_end_offset)
            for key, offset, size, error, high_watermark, log_end_offset in self.results
        ]

    def phases_us(self) -> tuple[int, int, int, int]:
        """Queued, local, parked and send, in microseconds."""
        assert self.parked_ms is None, "the request waits"
        started_ms, completed_ms = self.started_ms, self.completed_ms
        return (
            round((started_ms - self.arrived_ms) * 1000),
            round((completed_ms - started_ms - self.waited_ms) * 1000),
            round(self.waited_ms * 1000),
            round((self.sent_ms - completed_ms) * 1000),
        )

    def end_wait(self, now_ms: float) -> float:
        """Stop to wait; returns the time at which the wait began."""
        parked_ms = self.parked_ms
        assert parked_ms is not None, "the request does not wait"
        self.parked_ms = None
        self.waited_ms += now_ms - parked_ms
        return parked_ms

    def keep_wait(self) -> None:
        """Move the last wait, which has ended, to ``earlier_waits``: another one begins."""
        parked_us = round(self.waited_ms * 1000)
        parked_us -= sum(each["parked_us"] for each in self.earlier_waits)
        self.earlier_waits = [
            *self.earlier_waits,
            {"parked_us": parked_us, **self._wait()},
        ]

    def _wait(self) -> dict[str, Any]:
        """The last wait."""
        return {
            "purgatory": self.purgatory,
            "waited_for": self.waited_for,
            "timeout_ms": self.timeout_ms,
            "checks": self.checks,
            "completed_by": self.cause.to_dict(),
            **self.checked_facts(),
        }

    def checked_facts(self) -> dict[str, Any]:
        """The field ``checked`` of the last wait, which is left out if there is nothing in it."""
        if not self.checked:
            return {}
        return {
            "checked": [
                {"after_us": round(after_ms * 1000), **cause.to_dict()}
                for after_ms, cause in self.checked
            ]
        }

    def to_dict(self) -> dict[str, Any]:
        """The fields of docs/reference/records.md; the four phases add up to the total."""
        header = self.header
        queued, local, parked, send = self.phases_us()
        return {
            "schema": SCHEMA,
            "node": self.node,
            "connection": self.connection,
            "client_id": header.client_id,
            "principal": str(self.session.principal),
            "listener": self.session.listener,
            "correlation_id": header.correlation_id,
            "api": api_name(header.api_key),
            "version": header.api_version,
            "arrived_us": self.arrived_us,
            "queued_us": queued,
            "local_us": local,
            "parked_us": parked,
            "send_us": send,
            "total_us": queued + local + parked + send,
            **self._wait(),
            "earlier_waits": list(self.earlier_waits),
            "stalled_by": None if self.stalled_by is None else self.stalled_by.facts(),
            "throttle": None if self.throttle is None else self.throttle.facts(),
            "muted_by": None if self.muted_by is None else self.muted_by.facts(),
            "fault": self.fault,
            "partitions": [each._asdict() for each in self.partitions],
            "error": int(self.error),
            **({"traces": [*self.traces]} if self.traces else {}),
            **({"unknown_topics": [*self.unknown_topics]} if self.unknown_topics else {}),
            **(
                {"preferred_read_replicas": [*self.preferred_read_replicas]}
                if self.preferred_read_replicas
                else {}
            ),
        }
