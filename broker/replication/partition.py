"""A partition on one node: a log, and the part the node plays for it, leader or follower.

Offsets keep one order, always: log start <= last stable <= high watermark <= log end. A leader
appends what clients send, and moves the high watermark when its followers have the records; a
follower appends what its leader sends, and takes both watermarks from it, one fetch behind (Kafka's
``Partition``). What only a leader knows is in `broker.replication.leader_state`.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from broker.common.errors import ApiError, InvariantBroken
from broker.common.topic_partition import TopicPartition
from broker.controller.image import PartitionRegistration
from broker.replication.leader_state import LeaderNode, LeaderState
from broker.storage.append import AppendOrigin
from broker.storage.log import Log, LogAppendInfo, OffsetOutOfRange
from broker.storage.log_validator import Appendable
from broker.storage.offset_metadata import LogOffsetMetadata
from protocol.errors import ErrorCode
from protocol.record_batch.header import HEADER_BYTES, read_header

# The offset of a DeleteRecords that means the high watermark (``DeleteRecordsRequest``).
DELETE_TO_HIGH_WATERMARK = -1


@dataclass(slots=True, frozen=True)
class Appended:
    """What an append did, and whether it moved the high watermark too."""

    info: LogAppendInfo
    high_watermark_moved: bool


class Partition:
    """A partition hosted by this node; ``leadership`` is None on followers."""

    __slots__ = (
        "_followed",
        "_min_insync_replicas",
        "_node",
        "key",
        "leader_state",
        "log",
        "topic_id",
    )

    def __init__(
        self,
        key: TopicPartition,
        topic_id: UUID,
        node: LeaderNode,
        log: Log,
        min_insync_replicas: int,
    ) -> None:
        self.key = key
        self.topic_id = topic_id
        self.log = log
        self.leader_state: LeaderState | None = None
        self._followed: PartitionRegistration | None = None
        self._node = node
        self._min_insync_replicas = min_insync_replicas

    # --------------------------------------------------------------------------------- role

    @property
    def is_leader(self) -> bool:
        """Whether this node leads."""
        return self.leader_state is not None

    @property
    def registration(self) -> PartitionRegistration | None:
        """The controller's last word on the partition; None before there was one."""
        return self._followed if self.leader_state is None else self.leader_state.registration

    @property
    def leader_epoch(self) -> int:
        """The epoch of the leader this node knows; -1 before it knows one."""
        registration = self.registration
        return -1 if registration is None else registration.leader_epoch

    def make_leader(self, registration: PartitionRegistration) -> bool:
        """Lead under *registration*; True if the high watermark moved.

        What is not newer than what is known is ignored: a topic is told anew with all partitions,
        and one that is as it was must not lose its change of the in-sync set under way.
        """
        if not self._is_newer(registration):
            return False
        new_leader = self.leader_state is None
        if self.leader_state is None:
            self.leader_state = LeaderState(
                self.key,
                self.topic_id,
                self.log,
                self._node,
                registration,
                self._min_insync_replicas,
            )
        return self.leader_state.begin(registration, new_leader=new_leader)

    def make_follower(self, registration: PartitionRegistration) -> bool:
        """Follow under *registration*; True if the leader epoch is a new one."""
        if not self._is_newer(registration):
            return False
        new_epoch = registration.leader_epoch > self.leader_epoch
        self._followed = registration
        self.resign()
        return new_epoch

    def resign(self) -> None:
        """Lead no longer, if this node does; also of who is in the middle of a follower's fetch."""
        if self.leader_state is not None:
            self.leader_state.resign()
            self.leader_state = None

    def _is_newer(self, registration: PartitionRegistration) -> bool:
        known = self.registration
        return known is None or registration.partition_epoch > known.partition_epoch

    def set_min_insync_replicas(self, count: int) -> None:
        """Ask for *count* in-sync replicas from now on (min.insync.replicas)."""
        self._min_insync_replicas = count
        if self.leader_state is not None:
            self.leader_state.min_insync_replicas = count

    def check_leader(self, current_leader_epoch: int, *, leader_required: bool = True) -> None:
        """Raise `ApiError` unless this node may answer for the epoch the client knows.

        -1 is a client that knows none. Kafka's ``Partition.checkCurrentLeaderEpoch``.
        """
        known = self.leader_epoch
        if current_leader_epoch not in (-1, known):
            if current_leader_epoch < known:
                raise ApiError(ErrorCode.FENCED_LEADER_EPOCH)
            raise ApiError(ErrorCode.UNKNOWN_LEADER_EPOCH)
        if leader_required and self.leader_state is None:
            raise ApiError(ErrorCode.NOT_LEADER_OR_FOLLOWER)

    def leader_state_or_error(self) -> LeaderState:
        """The leader's side of this partition; raises `ApiError` NOT_LEADER_OR_FOLLOWER."""
        if self.leader_state is None:
            raise ApiError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        return self.leader_state

    # ------------------------------------------------------------------------------- leader

    def append_as_leader(
        self,
        records: Appendable,
        required_acks: int,
        produce_version: int,
        origin: AppendOrigin = AppendOrigin.CLIENT,
    ) -> Appended:
        """Append a batch of a client or of a coordinator.

        Raises `ApiError` NOT_LEADER_OR_FOLLOWER or NOT_ENOUGH_REPLICAS (nothing is written then),
        and what `Log.append_as_leader` raises.
        """
        leader_state = self.leader_state_or_error()
        if required_acks == -1 and leader_state.below_min_isr:
            raise ApiError(ErrorCode.NOT_ENOUGH_REPLICAS)
        info = self.log.append_as_leader(
            records,
            leader_state.registration.leader_epoch,
            produce_version=produce_version,
            origin=origin,
        )
        return Appended(info, leader_state.maybe_increment_high_watermark())

    def check_enough_replicas(self, required_offset: int) -> tuple[bool, ErrorCode]:
        """Whether a produce up to *required_offset* is replicated, and with what error.

        Kafka's ``Partition.checkEnoughReplicasReachOffset``: records that every in-sync replica has
        while that set is too small are reported, not taken back.
        """
        leader_state = self.leader_state
        if leader_state is None:
            return False, ErrorCode.NOT_LEADER_OR_FOLLOWER
        if self.log.high_watermark < required_offset:
            return False, ErrorCode.NONE
        if len(leader_state.isr.maximal) < leader_state.effective_min_isr:
            return True, ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND
        return True, ErrorCode.NONE

    def delete_records(self, offset: int) -> tuple[int, int]:
        """Delete what lies below *offset*; returns the offset meant and the low watermark.

        Raises `ApiError`: NOT_LEADER_OR_FOLLOWER, OFFSET_OUT_OF_RANGE above the high watermark,
        POLICY_VIOLATION if records here are never deleted but by compaction.
        """
        leader_state = self.leader_state_or_error()
        if "delete" not in self.log.config.cleanup_policy:
            raise ApiError(
                ErrorCode.POLICY_VIOLATION,
                f"Records of partition {self.key} can not be deleted due to the configured policy",
            )
        wanted = self.log.high_watermark if offset == DELETE_TO_HIGH_WATERMARK else offset
        if wanted < 0:
            raise ApiError(
                ErrorCode.OFFSET_OUT_OF_RANGE,
                f"The offset {wanted} for partition {self.key} is not valid",
            )
        try:
            self.log.maybe_increment_log_start_offset(wanted)
        except OffsetOutOfRange as error:
            raise ApiError(ErrorCode.OFFSET_OUT_OF_RANGE, str(error)) from None
        return wanted, leader_state.low_watermark()

    # ----------------------------------------------------------------------------- follower

    def append_as_follower(
        self, records: memoryview, leader_epoch: int, high_watermark: int, log_start_offset: int
    ) -> bool:
        """Append what the leader sent, and take over its watermarks as far as this log goes.

        True if the high watermark moved. Raises `AppendRefused`, as `Log.append_as_follower`.
        """
        if self.leader_state is not None:
            raise InvariantBroken(f"{self.key} would be appended to as a follower by its leader")
        self._maybe_start_at_first_batch(records, log_start_offset)
        log, before = self.log, self.log.high_watermark
        if records:
            log.append_as_follower(records, leader_epoch)
        if high_watermark != before:
            log.update_high_watermark(LogOffsetMetadata(high_watermark))
        if log_start_offset > log.log_start_offset:
            log.maybe_increment_log_start_offset(min(log_start_offset, log.high_watermark))
        return log.high_watermark > before

    def _maybe_start_at_first_batch(self, records: memoryview, leader_start: int) -> None:
        """Let the log begin with the batch that its end lies in, if it has nothing else to keep.

        A deletion may end inside a batch, which the leader sends whole to who is to go on there
        (KAFKA-6975). Kafka does so only if the log is empty; but one that is all deleted by the
        leader may end there, too, with records that were never committed.
        """
        log, end = self.log, self.log.log_end_offset
        if end <= max(log.log_start_offset, leader_start) and len(records) >= HEADER_BYTES:
            first = read_header(records)
            if first.base_offset < end <= first.last_offset:
                log.truncate_fully_and_start_at(first.base_offset)
