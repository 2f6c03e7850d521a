"""What a compaction may drop of transactions (Kafka's ``CleanedTransactionMetadata``).

Records of an aborted transaction go at once. A marker may go when no batch of its transaction was
met any more; until then it stays, and the transaction index tells of an aborted one.
"""

from __future__ import annotations

from collections.abc import Iterable

from broker.storage.transaction_index import AbortedTxn
from protocol.record_batch.control import end_txn_marker
from protocol.record_batch.header import BatchHeader


class CleanedTransactions:
    """To be told of each batch of a log, in order, given what was *aborted* in it.

    ``kept`` are the aborted transactions whose markers were met, and must stay.
    """

    def __init__(self, aborted: Iterable[AbortedTxn]) -> None:
        self.kept: list[AbortedTxn] = []
        # The last to begin comes first: they are taken off the end.
        self._aborted = sorted(aborted, key=lambda each: -each.first_offset)
        # By producer: the transaction, and the producers of whose transactions a batch was met.
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
            return not header.records_count  # of another kind, unless it is an emptied one
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
