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
from broker.storage.unified_log import UnifiedLog
from protocol.record_batch.control import end_txn_marker
from protocol.record_batch.header import NO_PRODUCER_ID, read_header
from tests.simulation.committed import batches_of
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


def check_transactions(who: str, log: UnifiedLog) -> None:
    """Compare the offset and the index with the batches of the whole log; raises `Violation`."""
    open_since: dict[int, int] = {}
    unstable: list[int] = []
    aborted: list[tuple[int, int, int]] = []
    for first, past, data in batches_of(log, log.log_start_offset, log.log_end_offset):
        header = read_header(data)
        if header.is_control:
            marker = end_txn_marker(data)
            begun = open_since.pop(header.producer_id, None)
            if begun is None or marker is None:
                continue
            if past > log.high_watermark:
                unstable.append(begun)
            if marker.is_abort:
                aborted.append((header.producer_id, begun, first))
        elif header.is_transactional and header.producer_id != NO_PRODUCER_ID:
            open_since.setdefault(header.producer_id, first)
    at_most = min([log.high_watermark, *open_since.values()])
    at_least = min([at_most, *unstable])
    if not at_least <= log.last_stable_offset <= at_most:
        raise Violation(
            f"{who}: last stable offset {log.last_stable_offset}, not {at_least} to {at_most}"
        )
    indexed = [
        (each.producer_id, each.first_offset, each.last_offset)
        for each in log.aborted_transactions(log.log_start_offset, log.log_end_offset)
    ]
    if indexed != aborted:
        raise Violation(f"{who}: indexed as aborted are {indexed}, not {aborted}")
