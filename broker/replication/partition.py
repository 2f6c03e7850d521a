"""One partition on one node: its log, who leads it, who is in sync, and how far that reaches.

Offsets keep one order, always: log start <= last stable <= high watermark <= log end. Appending
moves the log end; the high watermark follows when every replica of the in-sync set has the records
(Kafka's ``Partition.maybeIncrementLeaderHW``), and that is what a produce with acks=all waits for.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from broker.controller.image import PartitionRegistration
from broker.errors import ApiError
from broker.storage.log import Log, LogAppendInfo
from broker.storage.offset_metadata import LogOffsetMetadata
from broker.topic_partition import TopicPartition
from protocol.errors import ErrorCode


@dataclass(slots=True, frozen=True)
class Appended:
    """What an append did, and whether it moved the high watermark too."""

    info: LogAppendInfo
    high_watermark_moved: bool


class Partition:
    """A partition hosted by this node, leader or not."""

    __slots__ = (
        "is_leader",
        "key",
        "log",
        "min_insync_replicas",
        "node_id",
        "registration",
        "topic_id",
    )

    def __init__(
        self,
        key: TopicPartition,
        topic_id: UUID,
        node_id: int,
        log: Log,
        registration: PartitionRegistration,
        min_insync_replicas: int,
    ) -> None:
        self.key = key
        self.topic_id = topic_id
        self.node_id = node_id
        self.log = log
        self.registration = registration
        self.min_insync_replicas = min_insync_replicas
        self.is_leader = False

    def make_leader(self, registration: PartitionRegistration) -> bool:
        """Lead the partition under *registration*; True if the high watermark moved.

        The first offset of the new epoch is the log end (Kafka's ``Partition.makeLeader``).
        """
        self.registration = registration
        self.is_leader = True
        self.log.maybe_assign_epoch_start_offset(registration.leader_epoch, self.log.log_end_offset)
        return self._maybe_increment_high_watermark()

    @property
    def effective_min_isr(self) -> int:
        """``min.insync.replicas``, but never more than there are replicas."""
        return min(self.min_insync_replicas, len(self.registration.replicas))

    def append_as_leader(
        self, records: memoryview, required_acks: int, produce_version: int
    ) -> Appended:
        """Append a client's batch.

        Raises `ApiError` NOT_LEADER_OR_FOLLOWER or NOT_ENOUGH_REPLICAS (nothing is written then),
        and what `Log.append_as_leader` raises.
        """
        if not self.is_leader:
            raise ApiError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        if required_acks == -1 and len(self.registration.isr) < self.effective_min_isr:
            raise ApiError(
                ErrorCode.NOT_ENOUGH_REPLICAS,
                f"The size of the current ISR {sorted(self.registration.isr)} is insufficient to "
                f"satisfy the min.isr requirement of {self.effective_min_isr} for partition "
                f"{self.key}",
            )
        info = self.log.append_as_leader(
            records, self.registration.leader_epoch, produce_version=produce_version
        )
        return Appended(info, self._maybe_increment_high_watermark())

    def check_leader(self, current_leader_epoch: int, *, leader_required: bool = True) -> None:
        """Raise `ApiError` unless this node may answer for the epoch the client knows.

        -1 is a client that knows none. Kafka's ``Partition.checkCurrentLeaderEpoch``.
        """
        known = self.registration.leader_epoch
        if current_leader_epoch not in (-1, known):
            if current_leader_epoch < known:
                raise ApiError(ErrorCode.FENCED_LEADER_EPOCH)
            raise ApiError(ErrorCode.UNKNOWN_LEADER_EPOCH)
        if leader_required and not self.is_leader:
            raise ApiError(ErrorCode.NOT_LEADER_OR_FOLLOWER)

    def check_enough_replicas(self, required_offset: int) -> tuple[bool, ErrorCode]:
        """Whether a produce up to *required_offset* is replicated, and with what error.

        Kafka's ``Partition.checkEnoughReplicasReachOffset``: records that every in-sync replica has
        while that set is too small are reported, not taken back.
        """
        if not self.is_leader:
            return False, ErrorCode.NOT_LEADER_OR_FOLLOWER
        if self.log.high_watermark < required_offset:
            return False, ErrorCode.NONE
        if len(self.registration.isr) < self.effective_min_isr:
            return True, ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND
        return True, ErrorCode.NONE

    def _maybe_increment_high_watermark(self) -> bool:
        """Move the high watermark to what the whole in-sync set has; True if it moved (KIP-966)."""
        if len(self.registration.isr) < self.effective_min_isr:
            return False
        return self.log.maybe_increment_high_watermark(self._replicated_end())

    def _replicated_end(self) -> LogOffsetMetadata:
        return self.log.end_metadata
