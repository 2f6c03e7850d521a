"""Takes notes of every request of the process, keeps the latest, and hands all on to its sinks.

A sink is given each record once, when its answer is with the kernel, and must not block.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from broker.clock import Clock
from broker.topic_partition import TopicPartition
from broker.waits.causes import Cause, CauseKind, name_of_api, named
from broker.waits.operations import purgatory_of, waited_for
from broker.waits.record import WaitRecord
from purgatories.delayed_operation import TIMEOUT

if TYPE_CHECKING:
    from broker.connection import Connection
    from broker.request import Request

RECENT_MAX = 10_000

Sink = Callable[[WaitRecord], None]


class Recorder:
    """One for all nodes. ``untold`` is a topic whose own traffic is not recorded."""

    def __init__(self, clock: Clock, untold: str | None = None) -> None:
        self.recent: deque[WaitRecord] = deque(maxlen=RECENT_MAX)
        self.sinks: list[Sink] = []
        self._now_ms = clock.now_ms
        self._wall_us_at = clock.wall_us_at
        self._untold = untold
        self._current: Request[Any] | None = None

    # ------------------------------------------------------------------ a request's way through

    def begin(self, request: Request[Any], connection: Connection) -> None:
        """A handler is about to take the request."""
        header = request.header
        request.record = WaitRecord(
            request.node.id,
            connection.id,
            header.client_id,
            header.correlation_id,
            name_of_api(request.body),
            header.api_version,
            request.arrived_ms,
            self._now_ms(),
        )
        self._current = request

    def parked(self, request: Request[Any]) -> None:
        """The handler has left the request waiting."""
        record, operation = request.record, request.operation
        assert record is not None
        record.parked_ms = self._now_ms()
        if operation is not None:
            record.timeout_ms = int(operation.delay_ms)
            record.purgatory = purgatory_of(operation)
            record.waited_for = waited_for(request.node, operation)

    def end(self) -> None:
        """The request is through, and so is whatever it has set off."""
        self._current = None

    def completed(self, request: Request[Any], response: object | None) -> WaitRecord:
        """The request is answered."""
        record = request.record
        assert record is not None
        record.completed_ms = record.sent_ms = self._now_ms()
        record.error = getattr(response, "error_code", 0)
        operation = request.operation
        if operation is not None:
            record.checks = operation.checks
            if record.parked_ms is not None:
                record.cause = _cause(operation.completed_by)
        elif record.error or any(each.error for each in record.partitions):
            record.cause = Cause(CauseKind.ERROR)
        return record

    def sent(self, records: Iterable[WaitRecord]) -> None:
        """The answers are with the kernel."""
        now_ms = self._now_ms()
        for record in records:
            record.sent_ms = now_ms
            self._keep(record)

    def abandoned(self, request: Request[Any]) -> None:
        """The client went away while the request was parked."""
        record = self.completed(request, None)
        record.cause = Cause(CauseKind.DISCONNECT)
        self._keep(record)

    def _keep(self, record: WaitRecord) -> None:
        if self._untold is not None and any(
            each.topic == self._untold for each in record.partitions
        ):
            return
        record.arrived_us = self._wall_us_at(record.arrived_ms)
        self.recent.append(record)
        for sink in self.sinks:
            sink(record)

    # ------------------------------------------------------------------------------- causes

    def cause(
        self,
        kind: CauseKind,
        key: TopicPartition,
        offset: int | None = None,
        replica: int | None = None,
    ) -> Cause:
        """What is happening now, as those whom it wakes will tell it."""
        current = self._current
        return Cause(kind, key, offset, replica, None if current is None else named(current))


def _cause(completed_by: object) -> Cause:
    if isinstance(completed_by, Cause):
        return completed_by
    assert completed_by in (None, TIMEOUT)
    return Cause(CauseKind.ARRIVAL if completed_by is None else CauseKind.TIMEOUT)
