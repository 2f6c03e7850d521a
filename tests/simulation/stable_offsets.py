"""The last stable offset of each replica, and its index of aborted transactions.

batches   [a1] [b1] [a2] [abort a] [b2] | high watermark | [commit b]
                ^ the first offset of a transaction that is open, or whose marker is not replicated

It is that first offset or the high watermark, whichever is smaller, and never decreases on a leader
in its epoch. A transaction that is aborted in the log is in the index, and no other is.

A replica that has loaded a snapshot does not know which markers are not replicated, in Kafka as
well: the offset may then be that of the first open transaction.
"""

from __future__ import annotations

from broker.common.topic_partition import TopicPartition
from broker.replication.partition import Partition
from broker.storage.log.unified_log import UnifiedLog
from protocol.record_batch.control import end_txn_marker
from protocol.record_batch.header import NO_PRODUCER_ID, BatchHeader, read_header
from tests.simulation.committed import Committed, batches_of
from tests.simulation.violation import Violation


class StableOffsets:
    """The last stable offset of each leader in its present epoch."""

    def __init__(self) -> None:
        self._last: dict[tuple[int, TopicPartition], tuple[int, int]] = {}

    def check(self, who: str, node_id: int, partition: Partition) -> None:
        """Raise `Violation` if the offset of a leader has decreased in its epoch."""
        if partition.leader_state is None:
            return
        now = partition.leader_state.registration.leader_epoch, partition.log.last_stable_offset
        before = self._last.get((node_id, partition.key), now)
        if before[0] == now[0] and before[1] > now[1]:
            raise Violation(
                f"{who}: the last stable offset decreases from {before[1]} to {now[1]} in leader "
                f"epoch {now[0]}"
            )
        self._last[node_id, partition.key] = now


def check_transactions(who: str, log: UnifiedLog, committed: Committed) -> None:
    """Compare the offset and the index with the batches of the whole log; raises `Violation`.

    A transaction may have batches below the log start, which *committed* has. A replica that was
    created later does not know them.
    """
    start, found = log.log_start_offset, _Transactions(log)
    for data in committed.in_order if start else ():
        header = read_header(data)
        if header.last_offset < start:
            found.add(header, data)
    for _, _, data in batches_of(log, start, log.log_end_offset):
        found.add(read_header(data), data)
    at_most = max(start, min([log.high_watermark, *found.seen.values()]))
    at_least = max(start, min([at_most, *found.begun.values(), *found.unstable]))
    if not at_least <= log.last_stable_offset <= at_most:
        raise Violation(
            f"{who}: last stable offset {log.last_stable_offset}, not {at_least} to {at_most}"
        )
    indexed = {
        (each.producer_id, each.last_offset): each.first_offset
        for each in log.aborted_transactions(start, log.log_end_offset)
    }
    for aborted, (begun, seen) in found.aborted.items():
        first = indexed.pop(aborted, None)
        if first is None and seen is None:
            continue
        if first is None or not begun <= first <= (aborted[1] if seen is None else seen):
            raise Violation(f"{who}: {aborted} is indexed from {first}, not {begun} to {seen}")
    if indexed:
        raise Violation(f"{who}: indexed as aborted are {indexed}")


class _Transactions:
    """The transactions of a log.

    By producer id, the first offset of each open one: ``begun`` with deleted batches, ``seen``
    without them. ``unstable`` are the first offsets of those whose marker is not replicated.
    ``aborted`` has both first offsets by producer id and marker.
    """

    def __init__(self, log: UnifiedLog) -> None:
        self._start, self._high_watermark = log.log_start_offset, log.high_watermark
        self.begun: dict[int, int] = {}
        self.seen: dict[int, int] = {}
        self.unstable: list[int] = []
        self.aborted: dict[tuple[int, int], tuple[int, int | None]] = {}

    def add(self, header: BatchHeader, data: bytes) -> None:
        """Add the next batch."""
        first, producer_id = header.base_offset, header.producer_id
        if header.is_control:
            self._end(header, data)
        elif header.is_transactional and producer_id != NO_PRODUCER_ID:
            self.begun.setdefault(producer_id, first)
            if header.last_offset >= self._start:
                self.seen.setdefault(producer_id, first)

    def _end(self, header: BatchHeader, data: bytes) -> None:
        marker = end_txn_marker(data)
        begun = self.begun.pop(header.producer_id, None)
        seen = self.seen.pop(header.producer_id, None)
        if begun is None or marker is None or header.last_offset < self._start:
            return
        if header.last_offset >= self._high_watermark:
            self.unstable.append(begun)
        if marker.is_abort:
            self.aborted[header.producer_id, header.base_offset] = begun, seen
