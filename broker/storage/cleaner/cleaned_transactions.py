"""What a compaction may remove of transactions (Kafka's ``CleanedTransactionMetadata``).

Records of an aborted transaction are removed. A marker may be removed when the log has no batch of
its transaction; until then it is kept, with the entry of an aborted one in the transaction index.
"""

from __future__ import annotations

from collections.abc import Iterable

from broker.storage.indexes.transaction_index import AbortedTxn
from protocol.record_batch.control import end_txn_marker
from protocol.record_batch.header import BatchHeader


class CleanedTransactions:
    """The transactions of the batches so far, which must be passed in order.

    *aborted* are all aborted transactions of the log. ``kept`` are those whose markers are kept.
    """

    def __init__(self, aborted: Iterable[AbortedTxn]) -> None:
        self.kept: list[AbortedTxn] = []
        # In descending order: they are taken from the end.
        self._aborted = sorted(aborted, key=lambda each: -each.first_offset)
        # By producer ID: the open aborted transaction; producers with batches in an open one.
        self._ongoing: dict[int, AbortedTxn] = {}
        self._met: set[int] = set()

    def is_aborted(self, header: BatchHeader) -> bool:
        """Whether a batch of records belongs to an aborted transaction."""
        if not header.is_transactional:
            return False
        self._begin_up_to(header.last_offset)
        self._met.add(header.producer_id)
        return header.producer_id in self._ongoing

    def marker_may_go(self, header: BatchHeader, batch: memoryview) -> bool:
        """Whether the transaction that this control batch ends has left no batch."""
        marker = end_txn_marker(batch)
        if marker is None:
            return not header.records_count  # another type, or a batch without records
        self._begin_up_to(header.last_offset)
        aborted = self._ongoing.pop(header.producer_id, None) if marker.is_abort else None
        met = header.producer_id in self._met
        self._met.discard(header.producer_id)
        if met and aborted is not None:
            self.kept.append(aborted)
        return not met

    def _begin_up_to(self, offset: int) -> None:
        while self._aborted and self._aborted[-1].first_offset <= offset:
            begun = self._aborted.pop()
            self._ongoing.setdefault(begun.producer_id, begun)
