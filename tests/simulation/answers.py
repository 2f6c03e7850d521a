"""Whether an answer is right, and comes when it should.

A wait ends with its condition or with its time: never before either, and at once with the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from broker.common.topic_partition import TopicPartition
from protocol.errors import ErrorCode
from protocol.messages.fetch import PartitionData
from protocol.record_batch.batch import batches, records
from tests.simulation.history import Sent
from tests.simulation.rules import Life, Rules
from tests.simulation.violation import Violation

# Timers fire at most a tick late, and events of one moment have no order.
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
class Asked:
    """A request that is answered now: whom, when it was sent, how long it might wait."""

    who: str
    node: int
    key: TopicPartition
    sent_ms: float
    now_ms: float
    latency_ms: float
    wait_ms: float

    @property
    def waited_ms(self) -> float:
        """How long it was with the node."""
        return self.now_ms - self.sent_ms - 2 * self.latency_ms

    def check_error(self, error: int, allowed: frozenset[ErrorCode]) -> None:
        """Raise `Violation` for an error that nothing here could be the reason of."""
        if error not in allowed:
            raise Violation(f"{self.who}: {ErrorCode(error).name}")

    def check_time(self) -> None:
        """Raise `Violation` if the answer is late."""
        if self.waited_ms > max(0, self.wait_ms) + SLACK_MS:
            raise Violation(f"{self.who}: answered after {self.waited_ms:.1f} of {self.wait_ms} ms")

    def check_not_early(self) -> None:
        """Raise `Violation` if a wait ended before its time with nothing to show for it."""
        if self.waited_ms < self.wait_ms - 0.01:
            raise Violation(f"{self.who}: given up after {self.waited_ms:.1f} of {self.wait_ms} ms")

    def check_prompt(self, rules: Rules, offset: int) -> None:
        """Raise `Violation` if the high watermark was at *offset* for long before this answer."""
        asked_ms = self.sent_ms + self.latency_ms
        answered_ms = self.now_ms - self.latency_ms
        for passed_ms, high_watermark in rules.times_passed(self.node, self.key):
            if high_watermark >= offset and asked_ms < passed_ms < answered_ms - SLACK_MS:
                raise Violation(
                    f"{self.who}: the high watermark was at {high_watermark} "
                    f"{answered_ms - passed_ms:.1f} ms before the answer"
                )


def check_produced(
    asked: Asked, rules: Rules, sent: Sent, error: int, base_offset: int, copies_min: int
) -> None:
    """The answer to a produce with acks 1 or all."""
    asked.check_error(error, PRODUCE_ERRORS)
    asked.check_time()
    _check_refusal(asked, rules, sent.acks, error, copies_min)
    end = base_offset + len(sent.values)
    if error == ErrorCode.REQUEST_TIMED_OUT:
        asked.check_not_early()
    if sent.acks != -1 or error not in (ErrorCode.NONE, ErrorCode.REQUEST_TIMED_OUT):
        return
    asked.check_prompt(rules, end)
    if error:
        return
    rules.look_closely()
    committed = rules.committed[sent.key]
    for offset, value in enumerate(sent.values, base_offset):
        if committed.value_at(offset) != value and offset >= rules.log_start(sent.key):
            raise Violation(
                f"{asked.who}: acknowledged at offset {offset}, where "
                f"{committed.value_at(offset)!r} is committed"
            )
    if rules.copies(sent.key, end, asked.now_ms - asked.latency_ms) < copies_min:
        raise Violation(f"{asked.who}: acknowledged with fewer than {copies_min} copies")


def _check_refusal(asked: Asked, rules: Rules, acks: int, error: int, copies_min: int) -> None:
    """Too few in sync for acks=all are refused at once, and nothing else is.

    Kafka's ``Partition.appendRecordsToLeader``. Where the set has changed about the time when the
    request came, either is right.
    """
    came_ms = asked.sent_ms + asked.latency_ms
    sizes = rules.in_sync_sizes(asked.node, asked.key, came_ms - SLACK_MS, came_ms + SLACK_MS)
    refused = error == ErrorCode.NOT_ENOUGH_REPLICAS
    if 0 in sizes:
        return
    if refused and (acks != -1 or min(sizes) >= copies_min):
        raise Violation(f"{asked.who}: refused, though {min(sizes)} were in sync")
    if not refused and acks == -1 and max(sizes) < copies_min:
        raise Violation(
            f"{asked.who}: not refused, though only {max(sizes)} of {copies_min} were in sync"
        )


def check_fetched(asked: Asked, rules: Rules, offset: int, data: PartitionData) -> None:
    """The answer to a consumer's fetch."""
    asked.check_error(data.error_code, FETCH_ERRORS)
    asked.check_time()
    if data.error_code:
        return
    rules.look_closely()
    if not data.records:
        if offset == data.high_watermark:
            asked.check_not_early()
        return
    asked.check_prompt(rules, offset + 1)
    _check_values(asked, rules, data)


def _check_values(asked: Asked, rules: Rules, data: PartitionData) -> None:
    committed = rules.committed[asked.key]
    found = data.records or b""
    for start, header in batches(found):
        if header.last_offset >= data.high_watermark:
            raise Violation(f"{asked.who}: a record above the high watermark was told")
        for record in records(found, start):
            if committed.value_at(record.offset) != record.value:
                raise Violation(
                    f"{asked.who}: {record.value!r} was told at offset {record.offset}, where "
                    f"{committed.value_at(record.offset)!r} is committed"
                )


def check_deleted(
    asked: Asked, offset: int, error: int, low_watermark: int, living: AbstractSet[Life]
) -> None:
    """The answer to a deletion; *living* are the replicas that the leader took for alive."""
    asked.check_error(error, DELETE_ERRORS)
    asked.check_time()
    if error == ErrorCode.REQUEST_TIMED_OUT:
        asked.check_not_early()
    if not error and low_watermark < offset:
        raise Violation(f"{asked.who}: done up to {low_watermark} only, of {offset}")
    starts = sorted(partition.log.log_start_offset for partition, _ in living)
    if not error and starts and starts[0] < offset:
        raise Violation(f"{asked.who}: done, though living replicas begin at {starts}")


def check_at_the_end(rules: Rules, sent: Sequence[Sent], *, deletions: bool) -> None:
    """All that was acknowledged is there, where it was said to be, and nothing is there twice.

    What was refused for want of replicas is not there at all: it may be sent once more.
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
                raise Violation(f"{each.key}: {value!r} was refused, and is there at {offsets}")
            if len(offsets) > 1 and not deletions:
                raise Violation(f"{each.key}: {value!r} is there twice, at {offsets}")
            if not each.acknowledged or each.base_offset is None:
                continue
            offset = each.base_offset + index
            if offset not in offsets and offset >= rules.log_start(each.key):
                raise Violation(f"{each.key}: {value!r} was acknowledged at {offset}, and is lost")
