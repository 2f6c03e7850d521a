"""The state of one transactional id, as a value that a transition replaces as a whole."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from broker.common.topic_partition import TopicPartition
from broker.transactions.transaction_partitions import TransactionPartitions
from broker.transactions.transaction_state import TransactionState
from protocol.lazy_dataclass import dataclass
from protocol.record_batch.header import NO_PRODUCER_EPOCH, NO_PRODUCER_ID

# The time at which no transaction has started.
NO_START_MS = -1
# The timeout of a producer with two-phase commit, whose transactions do not time out (KIP-939).
NO_TIMEOUT_MS = 2**31 - 1
NO_PARTITIONS = TransactionPartitions()


@dataclass(frozen=True, slots=True, kw_only=True)
class TransactionValue:
    """The state that a record of ``__transaction_state`` contains (``TxnTransitMetadata``).

    ``prev_producer_id`` is the producer id before the last transition, and ``next_producer_id`` the
    one after the transaction if the epoch is exhausted. ``last_producer_epoch`` is the epoch before
    the last bump, -1 if InitProducerId cannot be retried; it is not in the log.
    ``client_transaction_version`` is 2 after a request of transaction protocol 2, else 0.
    """

    producer_id: int
    producer_epoch: int
    prev_producer_id: int = NO_PRODUCER_ID
    next_producer_id: int = NO_PRODUCER_ID
    last_producer_epoch: int = NO_PRODUCER_EPOCH
    timeout_ms: int
    state: TransactionState
    partitions: TransactionPartitions = NO_PARTITIONS
    start_ms: int = NO_START_MS
    last_update_ms: int
    client_transaction_version: int = 0


class TransactionMetadata:
    """A transactional id: its replicated value, and the next value while that is being written.

    ``without_marker`` are the partitions of a prepared transaction whose markers are outstanding.
    ``are_markers_stopped``: a partition has refused its marker, so the transaction stays prepared
    until this partition of the log is loaded again. ``has_failed_epoch_fence``: the epoch was
    bumped to fence the producer and the record was not written; the next attempt does not bump it
    again (protocol 1).
    """

    __slots__ = (
        "are_markers_stopped",
        "has_failed_epoch_fence",
        "pending",
        "transactional_id",
        "value",
        "without_marker",
    )

    def __init__(self, transactional_id: str, value: TransactionValue) -> None:
        self.transactional_id = transactional_id
        self.value = value
        self.pending: TransactionValue | None = None
        self.without_marker: set[TopicPartition] = set()
        self.are_markers_stopped = False
        self.has_failed_epoch_fence = False

    @property
    def partitions(self) -> AbstractSet[TopicPartition]:
        """The partitions of the open transaction, or those of a prepared one without markers."""
        return self.without_marker if self.value.state.is_prepared else self.value.partitions
