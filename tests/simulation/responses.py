"""Whether responses are correct and come in time.

A wait ends when its condition holds or its time is over, whichever is first, and not before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from broker.common.topic_partition import TopicPartition
from broker.replication.partition import Partition
from protocol.errors import ErrorCode
from protocol.messages.fetch import PartitionData
from protocol.record_batch.batch import batches, records
from tests.simulation.history import Sent
from tests.simulation.rules import Rules
from tests.simulation.violation import Violation

# Timers expire at most one tick late, and events at the same time have no order.
SLACK_MS = 2.5

PRODUCE_ERRORS = frozenset(
    {
        ErrorCode.NONE,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.REQUEST_TIMED_OUT,
        ErrorCode.NOT_ENOUGH_REPLICAS,
    }
)
FETCH_ERRORS = frozenset(
    {ErrorCode.NONE, ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.OFFSET_OUT_OF_RANGE}
)
DELETE_ERRORS = frozenset(
    {
        ErrorCode.NONE,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.OFFSET_OUT_OF_RANGE,
        ErrorCode.REQUEST_TIMED_OUT,
    }
)


@dataclass(frozen=True)
class Exchange:
    """A request whose response is being checked: its node, send time and maximum wait."""

    text: str
    node: int
    key: TopicPartition
    sent_ms: float
    now_ms: float
    latency_ms: float
    wait_ms: float

    @property
    def waited_ms(self) -> float:
        """How long the request was at the node."""
        return self.now_ms - self.sent_ms - 2 * self.latency_ms

    def check_error(self, error: int, allowed: frozenset[ErrorCode]) -> None:
        """Raise `Violation` for an error that cannot occur here."""
        if error not in allowed:
            raise Violation(f"{self.text}: {ErrorCode(error).name}")

    def check_time(self) -> None:
        """Raise `Violation` if the response is late."""
        if self.waited_ms > max(0, self.wait_ms) + SLACK_MS:
            raise Violation(
                f"{self.text}: response after {self.waited_ms:.1f} of {self.wait_ms} ms"
            )

    def check_not_early(self) -> None:
        """Raise `Violation` if a wait without result ended before its time."""
        if self.waited_ms < self.wait_ms - 0.01:
            raise Violation(f"{self.text}: ended after {self.waited_ms:.1f} of {self.wait_ms} ms")

    def check_prompt(self, rules: Rules, offset: int) -> None:
        """Raise `Violation` if the high watermark reached *offset* well before the response."""
        arrived_ms = self.sent_ms + self.latency_ms
        responded_ms = self.now_ms - self.latency_ms
        for passed_ms, high_watermark in rules.high_watermark_moves(self.node, self.key):
            if high_watermark >= offset and arrived_ms < passed_ms < responded_ms - SLACK_MS:
                raise Violation(
                    f"{self.text}: the high watermark was at {high_watermark} "
                    f"{responded_ms - passed_ms:.1f} ms before the response"
                )


def check_produced(
    exchange: Exchange, rules: Rules, sent: Sent, error: int, base_offset: int, copies_min: int
) -> None:
    """Check the response to a produce with acks 1 or all."""
    exchange.check_error(error, PRODUCE_ERRORS)
    exchange.check_time()
    _check_refusal(exchange, rules, sent.acks, error, copies_min)
    end = base_offset + len(sent.values)
    if error == ErrorCode.REQUEST_TIMED_OUT:
        exchange.check_not_early()
    if sent.acks != -1 or error not in (ErrorCode.NONE, ErrorCode.REQUEST_TIMED_OUT):
        return
    exchange.check_prompt(rules, end)
    if error:
        return
    rules.check_all()
    committed = rules.committed[sent.key]
    for offset, value in enumerate(sent.values, base_offset):
        if committed.value_at(offset) != value and offset >= rules.log_start(sent.key):
            raise Violation(
                f"{exchange.text}: acknowledged at offset {offset}, where "
                f"{committed.value_at(offset)!r} is committed"
            )
    if rules.copies(sent.key, end, exchange.now_ms - exchange.latency_ms) < copies_min:
        raise Violation(f"{exchange.text}: acknowledged with fewer than {copies_min} copies")


def _check_refusal(
    exchange: Exchange, rules: Rules, acks: int, error: int, copies_min: int
) -> None:
    """A produce with acks=all is refused if and only if the ISR is too small.

    Kafka's ``Partition.appendRecordsToLeader``. If the ISR changed about the arrival of the
    request, both are correct.
    """
    arrived_ms = exchange.sent_ms + exchange.latency_ms
    sizes = rules.isr_sizes(
        exchange.node, exchange.key, arrived_ms - SLACK_MS, arrived_ms + SLACK_MS
    )
    refused = error == ErrorCode.NOT_ENOUGH_REPLICAS
    if 0 in sizes:
        return
    if refused and (acks != -1 or min(sizes) >= copies_min):
        raise Violation(f"{exchange.text}: refused, though {min(sizes)} were in sync")
    if not refused and acks == -1 and max(sizes) < copies_min:
        raise Violation(
            f"{exchange.text}: not refused with {max(sizes)} of {copies_min} replicas in sync"
        )


def check_fetched(exchange: Exchange, rules: Rules, offset: int, data: PartitionData) -> None:
    """Check the response to a consumer's fetch."""
    exchange.check_error(data.error_code, FETCH_ERRORS)
    exchange.check_time()
    if data.error_code:
        return
    rules.check_all()
    if not data.records:
        if offset == data.high_watermark:
            exchange.check_not_early()
        return
    exchange.check_prompt(rules, offset + 1)
    _check_values(exchange, rules, data)


def _check_values(exchange: Exchange, rules: Rules, data: PartitionData) -> None:
    committed = rules.committed[exchange.key]
    found = data.records or b""
    for start, header in batches(found):
        if header.last_offset >= data.high_watermark:
            raise Violation(f"{exchange.text}: a record above the high watermark was sent")
        for record in records(found, start):
            if committed.value_at(record.offset) != record.value:
                raise Violation(
                    f"{exchange.text}: {record.value!r} was sent at offset {record.offset}, where "
                    f"{committed.value_at(record.offset)!r} is committed"
                )


def check_deleted(
    exchange: Exchange,
    offset: int,
    error: int,
    low_watermark: int,
    live_replicas: Iterable[Partition],
) -> None:
    """Check the response to a deletion; *live_replicas* were always live for the leader."""
    exchange.check_error(error, DELETE_ERRORS)
    exchange.check_time()
    if error == ErrorCode.REQUEST_TIMED_OUT:
        exchange.check_not_early()
    if not error and low_watermark < offset:
        raise Violation(
            f"{exchange.text}: completed with low watermark {low_watermark} below {offset}"
        )
    starts = sorted(partition.log.log_start_offset for partition in live_replicas)
    if not error and starts and starts[0] < offset:
        raise Violation(f"{exchange.text}: completed, though live replicas start at {starts}")


def check_final_state(rules: Rules, sent: Sequence[Sent], *, deletions: bool) -> None:
    """All acknowledged records exist at their offsets, and none is duplicated.

    Records that were refused with NOT_ENOUGH_REPLICAS do not exist, since they may be sent again.
    """
    places: dict[TopicPartition, dict[bytes | None, list[int]]] = {}
    for key, committed in rules.committed.items():
        found = places[key] = {}
        for offset, value in committed.values().items():
            found.setdefault(value, []).append(offset)
    for each in sent:
        for index, value in enumerate(each.values):
            offsets = places[each.key].get(value, [])
            if each.refused and offsets:
                raise Violation(f"{each.key}: {value!r} was refused, but exists at {offsets}")
            if len(offsets) > 1 and not deletions:
                raise Violation(f"{each.key}: {value!r} is duplicated, at {offsets}")
            if not each.acknowledged or each.base_offset is None:
                continue
            offset = each.base_offset + index
            if offset not in offsets and offset >= rules.log_start(each.key):
                raise Violation(f"{each.key}: {value!r} was acknowledged at {offset}, but is lost")
