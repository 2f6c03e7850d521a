"""A replica of a partition: a log and its role, leader or follower (Kafka's ``Partition``).

Invariant: log start <= last stable <= high watermark <= log end. A leader appends the records of
clients and advances the high watermark when its followers have them. A follower appends the records
of its leader and takes over both watermarks with the next fetch. The state of a leader is in
`broker.replication.leader_state`.
"""

from __future__ import annotations

from typing import Final
from uuid import UUID

from broker.common.errors import ApiError, InvariantBroken
from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import PartitionRegistration
from broker.replication.leader_state import LeaderNode, LeaderState
from broker.storage.files.storage_errors import OffsetOutOfRange
from broker.storage.log.unified_log import UnifiedLog
from broker.storage.producers.verification_state import NO_GUARD
from broker.storage.segments.offset_metadata import LogOffsetMetadata
from broker.storage.validation.append import AppendOrigin, LogAppendInfo
from broker.storage.validation.log_validator import Appendable
from protocol.errors import ErrorCode
from protocol.record_batch.header import HEADER_BYTES, read_header

_NONE: Final = ErrorCode.NONE

# The offset of a DeleteRecords that means the high watermark (``DeleteRecordsRequest``).
DELETE_TO_HIGH_WATERMARK: Final = -1


class Partition:
    """A replica on this node; ``leader_state`` is None on followers."""

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
        log: UnifiedLog,
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
        """Whether this node leads the partition."""
        return self.leader_state is not None

    @property
    def registration(self) -> PartitionRegistration | None:
        """The last metadata of the partition that was applied; None before the first."""
        return self._followed if self.leader_state is None else self.leader_state.registration

    @property
    def leader_epoch(self) -> int:
        """The last known leader epoch; -1 before the first."""
        registration = self.registration
        return -1 if registration is None else registration.leader_epoch

    def make_leader(self, registration: PartitionRegistration) -> bool:
        """Lead under *registration*; True if the high watermark moved.

        Metadata that is not newer is ignored: a change of a topic comes with all of its partitions,
        and an unchanged partition must keep a pending ISR change.
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
        """Follow under *registration*; True if it has a new leader epoch."""
        if not self._is_newer(registration):
            return False
        new_epoch = registration.leader_epoch > self.leader_epoch
        self._followed = registration
        self.log.notify_listeners()
        self.resign()
        return new_epoch

    def resign(self) -> None:
        """Stop leading; follower fetches in progress no longer count."""
        if self.leader_state is not None:
            self.leader_state.resign()
            self.leader_state = None

    def _is_newer(self, registration: PartitionRegistration) -> bool:
        known = self.registration
        return known is None or registration.partition_epoch > known.partition_epoch

    def set_min_insync_replicas(self, count: int) -> None:
        """Require *count* in-sync replicas from now on (min.insync.replicas)."""
        self._min_insync_replicas = count
        if self.leader_state is not None:
            self.leader_state.set_min_insync_replicas(count)

    def check_leader(self, current_leader_epoch: int, *, leader_required: bool = True) -> None:
        """Raise `ApiError` unless this node may respond to a client that knows this leader epoch.

        -1 is a client without an epoch. Kafka's ``Partition.checkCurrentLeaderEpoch``.
        """
        known = self.leader_epoch
        if current_leader_epoch not in (-1, known):
            if current_leader_epoch < known:
                raise ApiError(ErrorCode.FENCED_LEADER_EPOCH)
            raise ApiError(ErrorCode.UNKNOWN_LEADER_EPOCH)
        if leader_required and self.leader_state is None:
            raise ApiError(ErrorCode.NOT_LEADER_OR_FOLLOWER)

    def leader_state_or_error(self) -> LeaderState:
        """The leader's state; raises `ApiError` NOT_LEADER_OR_FOLLOWER."""
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
        verification_guard: int = NO_GUARD,
        transaction_version: int = 0,
    ) -> tuple[LogAppendInfo, bool]:
        """Append a batch of a client or of a coordinator; True if the high watermark moved.

        Raises `ApiError` NOT_LEADER_OR_FOLLOWER or NOT_ENOUGH_REPLICAS, without writing, and the
        exceptions of `UnifiedLog.append_as_leader`, which has the last two arguments.
        """
        leader_state = self.leader_state_or_error()
        if required_acks == -1 and leader_state.below_min_isr:
            raise ApiError(ErrorCode.NOT_ENOUGH_REPLICAS)
        info = self.log.append_as_leader(
            records,
            leader_state.registration.leader_epoch,
            produce_version=produce_version,
            origin=origin,
            verification_guard=verification_guard,
            transaction_version=transaction_version,
        )
        return info, leader_state.maybe_increment_high_watermark()

    def maybe_start_transaction_verification(
        self, producer_id: int, producer_epoch: int, base_sequence: int, supports_epoch_bump: bool
    ) -> int:
        """As `UnifiedLog.maybe_start_transaction_verification`.

        Raises `ApiError` NOT_LEADER_OR_FOLLOWER, and `AppendRefused` INVALID_PRODUCER_EPOCH.
        """
        self.leader_state_or_error()
        return self.log.maybe_start_transaction_verification(
            producer_id, producer_epoch, base_sequence, supports_epoch_bump
        )

    def check_enough_replicas(self, required_offset: int) -> tuple[bool, ErrorCode]:
        """Whether records up to *required_offset* are replicated, and the error of the produce.

        Kafka's ``Partition.checkEnoughReplicasReachOffset``: when all of an ISR that is too small
        have the records, the produce fails, but the records stay.
        """
        leader_state = self.leader_state
        if leader_state is None:
            return False, ErrorCode.NOT_LEADER_OR_FOLLOWER
        if self.log.high_watermark < required_offset:
            return False, _NONE
        if len(leader_state.isr.maximal) < leader_state.effective_min_isr:
            return True, ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND
        return True, _NONE

    def delete_records(self, offset: int) -> tuple[int, int]:
        """Delete records below *offset*; returns the resolved offset and the low watermark.

        Raises `ApiError`: NOT_LEADER_OR_FOLLOWER; OFFSET_OUT_OF_RANGE above the high watermark;
        POLICY_VIOLATION if the log is only compacted.
        """
        leader_state = self.leader_state_or_error()
        if self.log.config.cleanup_policy == ("compact",):
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
        """Append the leader's records and take over its watermarks, limited to this log.

        True if the high watermark moved. Raises as `UnifiedLog.append_as_follower`.
        """
        if self.leader_state is not None:
            raise InvariantBroken(f"the leader of {self.key} cannot append as a follower")
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
        """Restart a log without retained records at the base offset of the first batch.

        A deletion may end inside a batch, which the leader sends whole (KAFKA-6975). Kafka does
        this for an empty log only; a log whose records the leader has deleted may also end there,
        with records that were never committed.
        """
        log, end = self.log, self.log.log_end_offset
        if end <= max(log.log_start_offset, leader_start) and len(records) >= HEADER_BYTES:
            first = read_header(records)
            if first.base_offset < end <= first.last_offset:
                log.truncate_fully_and_start_at(first.base_offset)
