"""What a node knows of a partition only while it leads it: its followers, and who is in sync.

The high watermark is the smallest log end among the leader, the maximal in-sync set, and followers
that have caught up and may join it: without the latter a leader alone in its set would be ahead of
them for ever. Below ``min.insync.replicas`` it stands still (KIP-966). Members that have not caught
up for ``replica.lag.time.max.ms`` are dropped, followers that reach the high watermark and the
start of the epoch are added, one change at a time, and only the controller makes it so (Kafka's
``Partition``, the leader's half).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol
from uuid import UUID

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.controller.alter_partition import AlterPartition
from broker.controller.image import Broker, PartitionRegistration
from broker.replication.isr_state import IsrState
from broker.replication.replica import UNKNOWN_OFFSET, Replica
from broker.storage.log import Log
from broker.storage.offset_metadata import LogOffsetMetadata
from protocol.errors import ErrorCode

AlterPartitionResult = PartitionRegistration | ApiError

# After these nothing has changed, and the change may be proposed again.
_REFUSED = frozenset({ErrorCode.INELIGIBLE_REPLICA, ErrorCode.OPERATION_NOT_ATTEMPTED})

# After these the controller knows better; the change stays pending until its metadata arrives.
_METADATA_WILL_TELL = frozenset(
    {
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.UNKNOWN_TOPIC_ID,
        ErrorCode.FENCED_LEADER_EPOCH,
        ErrorCode.INVALID_UPDATE_VERSION,
        ErrorCode.INVALID_REQUEST,
        ErrorCode.NEW_LEADER_ELECTED,
    }
)


class LeaderNode(Protocol):
    """What a leader needs from the node it is on."""

    node_id: int

    @property
    def replica_lag_time_max_ms(self) -> int:
        """For how long a follower may be behind (replica.lag.time.max.ms)."""
        ...

    def now_ms(self) -> float:
        """Monotonic milliseconds."""
        ...

    def alive(self, node_id: int) -> Broker | None:
        """The node as the image has it, unless it is fenced or unknown."""
        ...

    def alter_partition(
        self, change: AlterPartition, answer: Callable[[AlterPartitionResult], None]
    ) -> None:
        """Ask the controller; *answer* may be called at once, later, or never."""
        ...

    def has_delayed_deletes(self) -> bool:
        """Whether any DeleteRecords waits for a low watermark."""
        ...

    def offsets_moved(self, key: TopicPartition, offset: int, replica: int | None) -> None:
        """The high watermark (now *offset*) or the low one moved: who waits for it is to be asked.

        *replica* is the follower whose fetch did it, if one did.
        """
        ...


class LeaderState:
    """One leader's view of its followers, from `begin` on."""

    __slots__ = (
        "_key",
        "_log",
        "_node",
        "_should_retry",
        "_topic_id",
        "epoch_start_offset",
        "isr",
        "min_insync_replicas",
        "registration",
        "replicas",
    )

    def __init__(
        self,
        key: TopicPartition,
        topic_id: UUID,
        log: Log,
        node: LeaderNode,
        registration: PartitionRegistration,
        min_insync_replicas: int,
    ) -> None:
        self._key = key
        self._topic_id = topic_id
        self._log = log
        self._node = node
        self.registration = registration
        self.min_insync_replicas = min_insync_replicas
        self.isr = IsrState.of(registration.isr)
        self._should_retry = False
        self.replicas: dict[int, Replica] = {}
        self.epoch_start_offset = log.log_end_offset

    # ------------------------------------------------------------------------- registration

    def begin(self, registration: PartitionRegistration, *, new_leader: bool) -> bool:
        """Lead under *registration*; True if the high watermark moved (``Partition.makeLeader``).

        A new leader epoch begins at the log end.
        """
        new_epoch = new_leader or registration.leader_epoch > self.registration.leader_epoch
        self.registration = registration
        self.isr = IsrState.of(registration.isr)
        others = [node for node in registration.replicas if node != self._node.node_id]
        self.replicas = {node: self.replicas.get(node) or Replica(node) for node in others}
        if new_epoch:
            self._begin_epoch(new_leader)
        return self.maybe_increment_high_watermark()

    def _begin_epoch(self, new_leader: bool) -> None:
        epoch, end = self.registration.leader_epoch, self._log.log_end_offset
        self.epoch_start_offset = end
        self._log.maybe_assign_epoch_start_offset(epoch, end)
        for replica in self.replicas.values():
            replica.reset(
                new_leader=new_leader,
                in_sync=replica.node_id in self.isr.committed,
                leader_end=end,
                now_ms=self._node.now_ms(),
            )

    def resign(self) -> None:
        """Lead no longer: what the controller or a follower still tells moves nothing here.

        With nobody in sync the high watermark stands still.
        """
        self.isr = IsrState.of(())

    # ---------------------------------------------------------------------- high watermark

    @property
    def effective_min_isr(self) -> int:
        """``min.insync.replicas``, but never more than there are replicas."""
        return min(self.min_insync_replicas, len(self.registration.replicas))

    @property
    def below_min_isr(self) -> bool:
        """Whether too few are in sync for acks=all, by the controller's word."""
        return len(self.isr.committed) < self.effective_min_isr

    def maybe_increment_high_watermark(self) -> bool:
        """Move the high watermark to what all have that must have it; True if it moved."""
        if self.below_min_isr:
            return False
        return self._log.maybe_increment_high_watermark(self._replicated_end())

    def _replicated_end(self) -> LogOffsetMetadata:
        end = self._log.end_metadata
        for replica in self.replicas.values():
            if replica.log_end_offset < end.message_offset and (
                replica.node_id in self.isr.maximal or self._may_still_join(replica)
            ):
                end = replica.log_end_offset_metadata
        return end

    def _may_still_join(self, replica: Replica) -> bool:
        return self._is_caught_up(replica) and self._is_eligible(replica)

    def _is_caught_up(self, replica: Replica) -> bool:
        lag_max_ms = self._node.replica_lag_time_max_ms
        return replica.is_caught_up(self._log.log_end_offset, self._node.now_ms(), lag_max_ms)

    def _is_eligible(self, replica: Replica) -> bool:
        """Whether the controller would take it: alive, and not a former life of the node (KIP-903).

        -1 is a follower whose requests are too old to tell.
        """
        broker = self._node.alive(replica.node_id)
        return broker is not None and replica.broker_epoch in (-1, broker.epoch)

    # ---------------------------------------------------------------------------- followers

    def check_follower(self, node_id: int, broker_epoch: int, current_leader_epoch: int) -> None:
        """Raise `ApiError` if the node must not fetch here.

        A node that is no replica may know of a reassignment before we do, if it knows our epoch;
        one in a former life has nothing to tell (KIP-903).
        """
        if node_id not in self.replicas:
            if current_leader_epoch == -1:
                raise ApiError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
            raise ApiError(ErrorCode.UNKNOWN_LEADER_EPOCH)
        broker = self._node.alive(node_id)
        if broker is not None and -1 != broker_epoch < broker.epoch:
            raise ApiError(ErrorCode.NOT_LEADER_OR_FOLLOWER)

    def update_follower_fetch_state(
        self,
        replica: Replica,
        at: LogOffsetMetadata,
        log_start_offset: int,
        leader_end: int,
        broker_epoch: int,
    ) -> None:
        """A follower has everything below *at* (``Partition.updateFollowerFetchState``)."""
        deletions = self._node.has_delayed_deletes()
        low_watermark = self.low_watermark() if deletions else UNKNOWN_OFFSET
        end = replica.log_end_offset
        replica.update_fetch_state(
            at, log_start_offset, leader_end, self._node.now_ms(), broker_epoch
        )
        moved = deletions and self.low_watermark() > low_watermark
        self._maybe_expand_isr(replica)
        if end != replica.log_end_offset:
            moved |= self.maybe_increment_high_watermark()
        if moved:
            self._node.offsets_moved(self._key, self._log.high_watermark, replica.node_id)

    def low_watermark(self) -> int:
        """The smallest log start offset among this log and its living followers'; -1: unknown."""
        starts = [
            replica.log_start_offset
            for replica in self.replicas.values()
            if self._node.alive(replica.node_id)
        ]
        return min([self._log.log_start_offset, *starts])

    # ------------------------------------------------------------------------- in-sync set

    def _maybe_expand_isr(self, replica: Replica) -> None:
        if self._change_under_way():
            return
        if (
            replica.node_id not in self.isr.maximal
            and replica.log_end_offset >= max(self._log.high_watermark, self.epoch_start_offset)
            and self._is_eligible(replica)
        ):
            self._submit_alter_partition(self.isr.pending_expand(replica.node_id))

    def maybe_shrink_isr(self) -> None:
        """Drop members that have lagged for too long, if the controller agrees."""
        if self._change_under_way():
            return
        lagging = frozenset(
            node_id
            for node_id in self.isr.committed
            if node_id in self.replicas and not self._is_caught_up(self.replicas[node_id])
        )
        if lagging:
            self._submit_alter_partition(self.isr.pending_shrink(lagging))

    def _change_under_way(self) -> bool:
        """Whether there is one; asks again if the controller's answer left it open."""
        if self.isr.proposed is None:
            return False
        if self._should_retry:
            self._submit_alter_partition(self.isr)
        return True

    def _submit_alter_partition(self, state: IsrState) -> None:
        assert state.proposed is not None
        self.isr = state
        self._should_retry = False
        change = AlterPartition(
            self._key,
            self._topic_id,
            self._node.node_id,
            self._broker_epoch(self._node.node_id),
            self.registration.leader_epoch,
            self.registration.partition_epoch,
            state.proposed,
            tuple(map(self._broker_epoch, state.proposed)),
        )
        self._node.alter_partition(
            change, lambda answer: self._handle_alter_partition_response(state, answer)
        )

    def _broker_epoch(self, node_id: int) -> int:
        """The life in which this leader knows the node; -1 if that has not fetched here yet."""
        if node_id == self._node.node_id:
            own = self._node.alive(node_id)
            return -1 if own is None else own.epoch
        epoch = self.replicas[node_id].broker_epoch
        return -1 if epoch is None else epoch

    def _handle_alter_partition_response(
        self, state: IsrState, answer: AlterPartitionResult
    ) -> None:
        """The controller has answered; what metadata told meanwhile counts more."""
        if self.isr is not state:
            return
        if isinstance(answer, ApiError):
            if answer.code in _REFUSED:
                self.isr = IsrState.of(state.committed)
            elif answer.code not in _METADATA_WILL_TELL:
                # It may have been done or not: be strict both ways until it has.
                self._should_retry = True
            return
        if answer.leader_epoch != self.registration.leader_epoch:
            # The change has ended a reassignment, and with it the epoch: metadata will tell.
            return
        self.registration = answer
        self.isr = IsrState.of(answer.isr)
        if self.maybe_increment_high_watermark():
            self._node.offsets_moved(self._key, self._log.high_watermark, None)
