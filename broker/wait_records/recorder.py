"""Takes notes of every request of the process, keeps the latest, and puts all into its outbox.

A record is kept once, when the answer is with the kernel or nobody is left to be answered.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from broker.common.clock import Clock
from broker.common.topic_partition import TopicPartition
from broker.steps.stalls import Stalls
from broker.wait_records.causes import ARRIVED, TIMED_OUT, Cause, CauseKind
from broker.wait_records.holds import Holds
from broker.wait_records.limits import RECENT_MAX
from broker.wait_records.operations import (
    FLUSH,
    purgatory_of,
    unanswered,
    wait_without_operation,
    waited_for,
)
from broker.wait_records.partitions import NOTHING, noted
from broker.wait_records.record import WaitRecord
from protocol.headers import RequestHeader
from purgatories.delayed_operation import TIMEOUT

if TYPE_CHECKING:
    from broker.api.request import Request
    from broker.network.connection import Connection
    from broker.wait_records.outbox import Outbox


class Recorder:
    """One for all nodes. ``untold`` is a topic whose own traffic is not recorded.

    What is in ``recent`` is there for whoever asks; ``outbox``, if there is one, gets every record.
    """

    def __init__(self, clock: Clock, untold: str | None = None) -> None:
        self.recent: deque[WaitRecord] = deque(maxlen=RECENT_MAX)
        self.outbox: Outbox | None = None
        self.stalls = Stalls(clock.wall_us_at)
        self.holds = Holds(clock.now_ms)
        self._now_ms = clock.now_ms
        self._wall_us_at = clock.wall_us_at
        self._untold = untold
        self._current: RequestHeader | None = None
        self._group_cause: Cause | None = None
        self._recorded = 0

    def statistics(self) -> dict[str, Any]:
        """How many requests were recorded, how many of them are kept, and what is on its way."""
        return {
            "recorded": self._recorded,
            "kept": len(self.recent),
            "outbox": None if self.outbox is None else self.outbox.statistics(),
        }

    # ------------------------------------------------------------------ a request's way through

    def begin(self, request: Request[Any], connection: Connection) -> None:
        """A handler is about to take the request."""
        self._current = header = request.header
        started_ms = arrived_ms = request.arrived_ms
        if connection.free_ms > arrived_ms:
            started_ms = connection.free_ms
        node_id = request.services.node_id
        record = WaitRecord(header, node_id, connection.id, arrived_ms, started_ms)
        request.record = record
        if self.stalls.aftermath is not None:
            record.stalled_by = self.stalls.aftermath

    def resume(self, request: Request[Any]) -> None:
        """The rest of a handler is about to run."""
        self._current = request.header

    def parked(self, request: Request[Any]) -> None:
        """The handler has left the request waiting."""
        record, operation = request.record, request.operation
        assert record is not None
        record.parked_ms = self._now_ms()
        if operation is not None:
            record.timeout_ms = int(operation.delay_ms)
            record.purgatory = purgatory_of(operation)
            record.waited_for = waited_for(request.services, operation)
        else:
            waiting = wait_without_operation(request.services, request.body)
            record.purgatory, record.waited_for, record.timeout_ms = waiting

    def end(self) -> None:
        """The request is through, and so is whatever it has set off."""
        self._current = None

    def completed(self, request: Request[Any], response: object | None) -> WaitRecord:
        """The request is answered."""
        record = request.record
        assert record is not None
        record.completed_ms = self._now_ms()
        record.error = getattr(response, "error_code", 0)
        if self.stalls.aftermath is not None and record.stalled_by is None:
            record.stalled_by = self.stalls.behind(request.header)
        if record.parked_ms is not None:
            self._released(request, record)
        return record

    def _released(self, request: Request[Any], record: WaitRecord) -> None:
        operation = request.operation
        if operation is None:
            flushed = record.waited_for is FLUSH
            record.ended_by = Cause(CauseKind.FLUSH) if flushed else self._cause_in_group()
            return
        record.checks = operation.checks
        record.ended_by = _cause(operation.completed_by)
        if operation.completed_by is TIMEOUT:
            record.waited_for = waited_for(request.services, operation)
        facts, since_ms = record.waited_for, record.parked_ms
        if facts is not None and "behind" in facts:
            assert since_ms is not None
            states = [self.holds.state_since(node_id, since_ms) for node_id in facts["behind"]]
            facts["behind_states"] = states

    def sent(self, records: Iterable[WaitRecord]) -> None:
        """The answers are with the kernel."""
        now_ms = self._now_ms()
        for record in records:
            record.sent_ms = now_ms
            self._keep(record)

    def abandoned(self, request: Request[Any], kind: CauseKind) -> None:
        """The request will not be answered: its client went away, or the broker stops."""
        record = self.completed(request, None)
        record.sent_ms = record.completed_ms
        record.ended_by = Cause(kind)
        if request.operation is not None and not record.noted:
            record.noted = [
                noted(request.services, key, offset, NOTHING, 0)
                for key, offset in unanswered(request.operation)
            ]
        self._keep(record)

    def _keep(self, record: WaitRecord) -> None:
        if self._untold is not None and not self._may_be_told(record, self._untold):
            return
        record.arrived_us = self._wall_us_at(record.arrived_ms)
        self._recorded += 1
        self.recent.append(record)
        if self.outbox is not None:
            self.outbox.put(record)

    def _may_be_told(self, record: WaitRecord, untold: str) -> bool:
        """Leave the untold topic out of a follower's fetch; False if that is all there is to it.

        A record that an append to the topic has caused would cause the next one.
        """
        others = [each for each in record.noted if each[0].topic != untold]
        if len(others) == len(record.noted):
            return True
        caused = any(each.records for each in record.partitions if each.topic == untold)
        key = record.cause.key
        if not others or caused or (key is not None and key.topic == untold):
            return False
        record.noted = others
        return True

    # ------------------------------------------------------------------------------- causes

    def cause(
        self,
        kind: CauseKind,
        key: TopicPartition,
        offset: int | None = None,
        replica: int | None = None,
    ) -> Cause:
        """The cause attached to operations this event completes."""
        # As `Cause._make`, without the call: every append makes one.
        return tuple.__new__(Cause, (kind, key, offset, replica, self._current))

    def run_with_cause(self, cause: Cause, action: Callable[[], object]) -> None:
        """Call *action*; *cause* is that of the group requests it completes.

        Group requests wait without an operation that could carry the cause.
        """
        before, self._group_cause = self._group_cause, cause
        try:
            action()
        finally:
            self._group_cause = before

    def _cause_in_group(self) -> Cause:
        """Who ended the wait of a group's request: the group's log, a request, or else a timer."""
        if self._group_cause is not None:
            return self._group_cause
        if self._current is None:
            return TIMED_OUT
        return Cause(CauseKind.MEMBERS, request=self._current)


def _cause(completed_by: object) -> Cause:
    if isinstance(completed_by, Cause):
        return completed_by
    assert completed_by in (None, TIMEOUT)
    return ARRIVED if completed_by is None else TIMED_OUT
