"""What the coordinator passes to the sender of transaction markers."""

from __future__ import annotations

from typing import Protocol

from broker.common.topic_partition import TopicPartition
from broker.transactions.transaction_partitions import TransactionPartitions
from protocol.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingMarkers:
    """The markers that end one transaction (Kafka's ``PendingCompleteTxn``).

    ``producer_id``, ``producer_epoch`` and ``transaction_version`` (0 or 2) are those of the
    markers. ``state_partition`` is the partition of ``__transaction_state`` that the id is in, and
    ``coordinator_epoch`` the leader epoch in which this node coordinates it.
    """

    transactional_id: str
    state_partition: int
    coordinator_epoch: int
    producer_id: int
    producer_epoch: int
    commit: bool
    transaction_version: int
    partitions: TransactionPartitions


class MarkerCallbacks(Protocol):
    """The results of the markers of a transaction, which the coordinator handles."""

    def marker_written(
        self, transactional_id: str, coordinator_epoch: int, partition: TopicPartition
    ) -> None:
        """A partition has its marker, or needs none because it no longer exists."""
        ...

    def markers_stopped(self, transactional_id: str, coordinator_epoch: int) -> None:
        """A partition has refused its marker; no more markers of the transaction are sent."""
        ...


class MarkerSender(Protocol):
    """Writes markers to the leaders of partitions (``TransactionMarkerChannelManager``)."""

    def add_markers(self, pending: PendingMarkers) -> None:
        """Send the markers of a transaction, and call `MarkerCallbacks` for each partition."""
        ...

    def remove_partition(self, state_partition: int) -> None:
        """Drop the markers of all transactions of a partition of ``__transaction_state``."""
        ...
