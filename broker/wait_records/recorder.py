"""Makes a wait record of each request of the process.

    begin --> parked --> completed --> sent --> recent, outbox
               |  ^ `--> abandoned ------------'
               v  |
              resume
A request that does not wait is not parked: it is completed when its handler returns the response.
A request that waits several times is resumed and parked again.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from broker.common.clock import Clock
from broker.common.topic_partition import TopicPartition
from broker.quotas.throttle import Throttle
from broker.security.session import Session
from broker.steps.stalls import Stalls
from broker.wait_records.causes import TIMED_OUT, Cause, CauseKind
from broker.wait_records.interruptions import Interruptions
from broker.wait_records.limits import CHECKED_MAX, RECENT_MAX
from broker.wait_records.observer import HostedPartitions, RequestObserver
from broker.wait_records.outbox import Outbox
from broker.wait_records.record import WaitRecord
from broker.wait_records.trace_parents import TraceParents
from broker.wait_records.wait import Facts, Wait, name_transaction
from protocol.headers import RequestHeader


class RecordedRequest(Protocol):
    """A request as the recorder knows it; ``observer`` is set by `Recorder.begin`."""

    header: RequestHeader
    session: Session
    arrived_ms: float
    observer: RequestObserver | None
    throttled: Throttle | None
    wait: Wait | None


class Recorder:
    """Keeps the last records in ``recent``, and puts all into ``outbox``, if there is one.

    *excluded_topic* is the topic to which records are produced: requests that concern no other
    partition are not recorded, since the record of each would cause another. ``machine`` measures
    the steps of the event loop, if ``clock`` can be adjusted. With *traces* the headers of records
    are read, and the events after which the conditions of waits are checked are kept.
    """

    def __init__(
        self,
        clock: Clock,
        excluded_topic: str | None = None,
        machine: Clock | None = None,
        *,
        traces: bool = False,
    ) -> None:
        self.recent: deque[WaitRecord] = deque(maxlen=RECENT_MAX)
        self.outbox: Outbox | None = None
        self.stalls = Stalls((machine or clock).wall_us_at)
        self.interruptions = Interruptions(clock.now_ms)
        self._now_ms = clock.now_ms
        self._wall_us_at = clock.wall_us_at
        self._excluded_topic = excluded_topic
        self._traces = traces
        self._current: RequestHeader | None = None
        self._group_cause: Cause | None = None
        # Returns the transactional id of a producer id, or None; for the transactions of waits.
        self.transactional_id: Callable[[int], str | None] = _unknown
        # The number of records by node, API key, version and error code.
        self.counts: Counter[tuple[int, int, int, int]] = Counter()

    def statistics(self) -> dict[str, Any]:
        """How many requests were ``recorded``, how many are ``kept``, and the ``outbox``."""
        return {
            "recorded": self.counts.total(),
            "kept": len(self.recent),
            "outbox": None if self.outbox is None else self.outbox.statistics(),
        }

    # ---------------------------------------------------------------------------- one request

    def begin(
        self,
        request: RecordedRequest,
        node_id: int,
        connection_id: int,
        free_ms: float,
        hosted: HostedPartitions,
    ) -> None:
        """Attach an observer to a request that is about to be handled.

        *free_ms* is the time from which its connection could begin a request, *hosted* are the
        partitions on the node.
        """
        self._current = header = request.header
        started_ms = arrived_ms = request.arrived_ms
        if free_ms > arrived_ms:
            started_ms = free_ms
        record = WaitRecord(header, request.session, node_id, connection_id, arrived_ms, started_ms)
        traces = TraceParents() if self._traces else None
        request.observer = RequestObserver(record, hosted, traces)
        if self.stalls.aftermath is not None:
            record.stalled_by = self.stalls.aftermath

    def resume(self, request: RecordedRequest) -> None:
        """End the wait of the request, if it is parked, and attribute what follows to it."""
        self._current = request.header
        self.end_wait(request)

    def end(self) -> None:
        """Attribute what follows to no request."""
        self._current = None

    def parked(self, request: RecordedRequest) -> None:
        """Record what the request waits for; its handler has returned without a response."""
        observer, wait = request.observer, request.wait
        assert observer is not None
        assert wait is not None, "the code that parks a request describes the wait"
        record = observer.record
        if record.parked_ms is not None:
            return  # its response is held by a fault rule, which has recorded it
        if record.purgatory is not None:
            record.keep_wait()
            record.checks, record.checked, record.ended_by = 0, [], None
        record.parked_ms = self._now_ms()
        record.purgatory = wait.purgatory
        record.waited_for = self._named(wait.condition())
        record.timeout_ms = wait.timeout_ms
        if self._traces:
            wait.observe(partial(self._checked, record, record.parked_ms))

    def _checked(self, record: WaitRecord, parked_ms: float, cause: Cause) -> None:
        """Keep the event after which the condition of the wait is about to be checked."""
        if len(record.checked) < CHECKED_MAX:
            record.checked.append((self._now_ms() - parked_ms, cause))

    def end_wait(self, request: RecordedRequest) -> None:
        """End the wait of the request, if it is parked.

        Its response is ready and waits for something else, or its handler continues.
        """
        observer, wait = request.observer, request.wait
        assert observer is not None
        if observer.record.parked_ms is not None:
            assert wait is not None
            self._end_wait(observer.record, wait, self._now_ms())

    def completed(self, request: RecordedRequest, response: object | None) -> WaitRecord:
        """Record the end of the wait; the record is complete after `sent`."""
        observer, wait = request.observer, request.wait
        assert observer is not None
        record = observer.record
        record.completed_ms = self._now_ms()
        record.throttle = request.throttled
        record.error = getattr(response, "error_code", 0)
        if self.stalls.aftermath is not None and record.stalled_by is None:
            record.stalled_by = self.stalls.behind(request.header)
        if record.parked_ms is not None:
            assert wait is not None
            self._end_wait(record, wait, record.completed_ms)
        return record

    def _end_wait(self, record: WaitRecord, wait: Wait, now_ms: float) -> None:
        parked_ms = record.end_wait(now_ms)
        record.checks = wait.checks
        record.ended_by = ended_by = wait.cause(self._present_cause)
        if record.checked and ended_by is not None and ended_by.is_end_of(record.checked[-1][1]):
            record.checked.pop()
        if record.ended_by is TIMED_OUT:
            record.waited_for = self._named(wait.condition())
        elif record.ended_by is not None and record.ended_by.transaction is not None:
            name_transaction(record.ended_by.transaction, self.transactional_id)
        waited_for = record.waited_for
        if waited_for is not None and "behind" in waited_for:
            waited_for["behind_states"] = [
                self.interruptions.state_since(node_id, parked_ms)
                for node_id in waited_for["behind"]
            ]

    def _named(self, waited_for: Facts | None) -> Facts | None:
        if waited_for is not None and (transaction := waited_for.get("transaction")) is not None:
            name_transaction(transaction, self.transactional_id)
        return waited_for

    def sent(self, record: WaitRecord) -> None:
        """Keep *record*: the socket has taken its response."""
        record.sent_ms = self._now_ms()
        self._keep(record)

    def abandoned(self, request: RecordedRequest, kind: CauseKind) -> None:
        """Keep the record of a request that gets no response: DISCONNECT, ERROR or SHUTDOWN."""
        record = self.completed(request, None)
        record.sent_ms = record.completed_ms
        record.ended_by = Cause(kind)
        if request.wait is not None:
            assert request.observer is not None
            request.observer.replace_results(request.wait.partitions())
        self._keep(record)

    def _keep(self, record: WaitRecord) -> None:
        if self._excluded_topic is not None and self._is_excluded(record, self._excluded_topic):
            return
        record.arrived_us = self._wall_us_at(record.arrived_ms)
        header = record.header
        self.counts[record.node, header.api_key, header.api_version, record.error] += 1
        self.recent.append(record)
        if self.outbox is not None:
            self.outbox.put(record)

    def _is_excluded(self, record: WaitRecord, topic: str) -> bool:
        """Whether *topic* is all that a record is about, or an append to it has caused the record.

        Otherwise its partitions are removed: a follower's fetch may contain others as well.
        """
        others = [each for each in record.results if each[0].topic != topic]
        if len(others) == len(record.results):
            return False
        caused = any(each.records for each in record.partitions if each.topic == topic)
        key = record.cause.key
        if not others or caused or (key is not None and key.topic == topic):
            return True
        record.results = others
        return False

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
        return tuple.__new__(Cause, (kind, key, offset, replica, self._current, None, None, None))

    def run_with_cause(self, cause: Cause, action: Callable[[], object]) -> None:
        """Call *action*; *cause* is that of the group requests it completes.

        Group requests wait without an operation that could carry the cause.
        """
        before, self._group_cause = self._group_cause, cause
        try:
            action()
        finally:
            self._group_cause = before

    def _present_cause(self) -> Cause:
        """The cause of a group request that completes now.

        That is an event in the group's log, else the request being handled, else a timer.
        """
        if self._group_cause is not None:
            return self._group_cause
        if self._current is None:
            return TIMED_OUT
        return Cause(CauseKind.MEMBERS, request=self._current)


def _unknown(_producer_id: int) -> None:
    """Return None: no coordinator is known."""
