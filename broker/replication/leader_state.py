"""The state of a partition on its leader: the followers' progress and the in-sync replicas.

The high watermark is the smallest log end offset of the leader, of the maximal ISR, and of
followers that are caught up and eligible to join the ISR: without the latter a leader that is alone
in the ISR would stay ahead of them. Below ``min.insync.replicas`` it does not advance (KIP-966).

A member that is not caught up for ``replica.lag.time.max.ms`` is removed from the ISR. A follower
that has reached the high watermark and the start offset of the leader epoch is added. One change is
pending at a time, and the controller commits it (the leader's part of Kafka's ``Partition``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any, Final, Protocol
from uuid import UUID

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import Broker, PartitionRegistration
from broker.controller.partitions.alter_partition import AlterPartition
from broker.network.inter_broker.link import Link
from broker.replication.follower_fetch import FollowerFetch
from broker.replication.holds import Hold
from broker.replication.isr_state import IsrState
from broker.replication.replica import UNKNOWN_OFFSET, Replica, ReplicaProgress
from broker.storage.log.unified_log import UnifiedLog
from broker.storage.segments.offset_metadata import LogOffsetMetadata
from protocol.errors import ErrorCode

# A fault rule as wait records have it.
Label = dict[str, Any]
AlterPartitionResult = PartitionRegistration | ApiError

# After these errors nothing has changed, and another change may be proposed.
_REFUSED: Final = frozenset({ErrorCode.INELIGIBLE_REPLICA, ErrorCode.OPERATION_NOT_ATTEMPTED})

# After these errors the controller has newer metadata; the change stays pending until it arrives.
_NEWER_METADATA: Final = frozenset(
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
    """What a leader needs from its node."""

    node_id: int

    @property
    def replica_lag_time_max_ms(self) -> int:
        """How long a follower may lag (replica.lag.time.max.ms)."""
        ...

    def now_ms(self) -> float:
        """Monotonic milliseconds."""
        ...

    def alive(self, node_id: int) -> Broker | None:
        """The node in the metadata; None if it is fenced or unknown."""
        ...

    def alter_partition(
        self, change: AlterPartition, on_response: Callable[[AlterPartitionResult], None]
    ) -> None:
        """Request an ISR change; *on_response* is called immediately, later, or never."""
        ...

    def holds(self, key: TopicPartition) -> Sequence[Hold]:
        """What fault rules hold of a partition."""
        ...

    def link_to(self, node_id: int) -> Link:
        """The link to another node."""
        ...

    def offsets_moved(self, key: TopicPartition, offset: int, replica: int | None) -> None:
        """Check the operations that wait on the high watermark (now *offset*) or the low one.

        *replica* is the follower whose fetch moved it, or None.
        """
        ...


class LeaderState:
    """The state of a leader, from `begin` to `resign`."""

    __slots__ = (
        "_key",
        "_log",
        "_min_insync_replicas",
        "_node",
        "_should_retry",
        "_topic_id",
        "effective_min_isr",
        "epoch_start_offset",
        "holds",
        "isr",
        "registration",
        "replicas",
    )

    def __init__(
        self,
        key: TopicPartition,
        topic_id: UUID,
        log: UnifiedLog,
        node: LeaderNode,
        registration: PartitionRegistration,
        min_insync_replicas: int,
    ) -> None:
        self._key = key
        self._topic_id = topic_id
        self._log = log
        self._node = node
        self.registration = registration
        self.set_min_insync_replicas(min_insync_replicas)
        self.isr = IsrState.of(registration.isr)
        self._should_retry = False
        self.holds = node.holds(key)
        self.replicas: dict[int, Replica] = {}
        self.epoch_start_offset = log.log_end_offset

    # ------------------------------------------------------------------------- registration

    def begin(self, registration: PartitionRegistration, *, new_leader: bool) -> bool:
        """Lead under *registration*; True if the high watermark moved (``Partition.makeLeader``).

        A new leader epoch starts at the log end.
        """
        new_epoch = new_leader or registration.leader_epoch > self.registration.leader_epoch
        self.registration = registration
        self.set_min_insync_replicas(self._min_insync_replicas)
        self._set_isr(IsrState.of(registration.isr))
        others = [node for node in registration.replicas if node != self._node.node_id]
        self.replicas = {node: self.replicas.get(node) or Replica(node) for node in others}
        if new_epoch:
            self._begin_epoch(new_leader)
        return self.maybe_increment_high_watermark()

    def _begin_epoch(self, new_leader: bool) -> None:
        end = self.epoch_start_offset = self._log.log_end_offset
        self._log.begin_epoch(self.registration.leader_epoch)
        for replica in self.replicas.values():
            replica.reset(
                new_leader=new_leader,
                in_sync=replica.node_id in self.isr.committed,
                leader_end=end,
                now_ms=self._node.now_ms(),
            )

    def resign(self) -> None:
        """Stop leading; controller responses and follower fetches in progress have no effect.

        With an empty ISR the high watermark does not advance.
        """
        self._set_isr(IsrState.of(()))

    # ---------------------------------------------------------------------- high watermark

    def set_min_insync_replicas(self, count: int) -> None:
        """Require *count* in-sync replicas; effective are at most as many as there are replicas."""
        self._min_insync_replicas = count
        self.effective_min_isr = min(count, len(self.registration.replicas))

    @property
    def below_min_isr(self) -> bool:
        """Whether the committed ISR is too small for acks=all."""
        return len(self.isr.committed) < self.effective_min_isr

    def maybe_increment_high_watermark(self) -> bool:
        """Advance the high watermark to the replicated end; True if it moved."""
        if self.below_min_isr:
            return False
        end = self._replicated_end()
        if self.holds:
            end = self._held_back(end)
        return self._log.maybe_increment_high_watermark(end)

    def set_holds(self, holds: Sequence[Hold]) -> None:
        """Replace the holds; the high watermark advances as far as the new ones allow."""
        self.holds = holds
        if self.maybe_increment_high_watermark():
            self._node.offsets_moved(self._key, self._log.high_watermark, None)

    def rules_before(self, offset: int) -> list[Label]:
        """The fault rules that keep the high watermark from reaching *offset*."""
        limits = [(hold, hold.high_watermark) for hold in self.holds]
        rules = [hold.rule.label for hold, limit in limits if limit is not None and limit < offset]
        for replica in self.replicas.values():
            if replica.node_id in self.isr.maximal and replica.log_end_offset < offset:
                rules += self._node.link_to(replica.node_id).rules()
                rules += [hold.rule.label for hold in self.holds if hold.holds_isr]
        return list({rule["rule"]: rule for rule in rules}.values())

    def _held_back(self, end: LogOffsetMetadata) -> LogOffsetMetadata:
        """The replicated end, limited by the holds and not less than the high watermark."""
        for hold in self.holds:
            limit = hold.high_watermark
            if limit is not None and limit < end.message_offset:
                hold.count_firing(self._node.node_id)
                end = self._log.offset_metadata(max(limit, self._log.high_watermark))
        return end

    def _holds_isr(self) -> bool:
        """Whether a rule prevents a change of the ISR that is due."""
        holds = [hold for hold in self.holds if hold.holds_isr]
        for hold in holds:
            hold.count_firing(self._node.node_id)
        return bool(holds)

    def _replicated_end(self) -> LogOffsetMetadata:
        end = self._log.log_end_offset_metadata
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
        """Whether the controller would add it to the ISR: alive, in this broker epoch (KIP-903).

        -1 is a follower whose fetch version has no epoch.
        """
        broker = self._node.alive(replica.node_id)
        return broker is not None and replica.broker_epoch in (-1, broker.epoch)

    # ---------------------------------------------------------------------------- followers

    def check_follower(self, node_id: int, broker_epoch: int, current_leader_epoch: int) -> None:
        """Raise `ApiError` if the node may not fetch as a follower.

        A node that is not a replica may know a reassignment that this leader does not know yet, if
        it sends the present leader epoch. A fetch from an earlier broker epoch is refused
        (KIP-903).
        """
        if node_id not in self.replicas:
            if current_leader_epoch == -1:
                raise ApiError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
            raise ApiError(ErrorCode.UNKNOWN_LEADER_EPOCH)
        broker = self._node.alive(node_id)
        if broker is not None and -1 != broker_epoch < broker.epoch:
            raise ApiError(ErrorCode.NOT_LEADER_OR_FOLLOWER)

    def update_follower_fetch_state(
        self, fetch: FollowerFetch, at: LogOffsetMetadata, log_start_offset: int, leader_end: int
    ) -> None:
        """Note that a follower has all before *at* (``Partition.updateFollowerFetchState``)."""
        replica = self.replicas.get(fetch.node_id)
        if replica is None:
            return
        deletions = fetch.has_delayed_deletes
        low_watermark = self.low_watermark() if deletions else UNKNOWN_OFFSET
        end = replica.log_end_offset
        replica.update_fetch_state(
            at, log_start_offset, leader_end, fetch.now_ms, fetch.broker_epoch
        )
        moved = deletions and self.low_watermark() > low_watermark
        self._maybe_expand_isr(replica)
        if end != replica.log_end_offset:
            moved |= self.maybe_increment_high_watermark()
        if moved:
            self._node.offsets_moved(self._key, self._log.high_watermark, replica.node_id)

    def replica_in_sync(self, node_id: int) -> Replica | None:
        """The follower if it is in the ISR, and no change of the ISR is pending."""
        isr = self.isr
        in_sync = isr.proposed is None and node_id in isr.committed
        return self.replicas.get(node_id) if in_sync else None

    def low_watermark(self) -> int:
        """The smallest log start offset of this log and of live followers; -1 if one is unknown."""
        starts = [
            replica.log_start_offset
            for replica in self.replicas.values()
            if self._node.alive(replica.node_id)
        ]
        return min([self._log.log_start_offset, *starts])

    def progress(self) -> list[ReplicaProgress]:
        """The progress of each replica, this node's included, in the order of the registration."""
        now_ms = self._node.now_ms()
        found = []
        for node_id in self.registration.replicas:
            end_offset, ago_ms = self._log.log_end_offset, inf
            if (replica := self.replicas.get(node_id)) is not None:
                end_offset = replica.log_end_offset
                ago_ms = now_ms - replica.last_caught_up_time_ms
            caught_up_ms_ago = None if ago_ms == inf else int(ago_ms)
            in_sync = node_id in self.isr.maximal
            found.append(ReplicaProgress(node_id, end_offset, in_sync, caught_up_ms_ago))
        return found

    # ------------------------------------------------------------------------- in-sync set

    def _maybe_expand_isr(self, replica: Replica) -> None:
        if self._change_under_way():
            return
        if (
            replica.node_id not in self.isr.maximal
            and replica.log_end_offset >= max(self._log.high_watermark, self.epoch_start_offset)
            and self._is_eligible(replica)
            and not (self.holds and self._holds_isr())
        ):
            self._submit_alter_partition(self.isr.pending_expand(replica.node_id))

    def maybe_shrink_isr(self) -> None:
        """Request to remove members that lag for too long."""
        if self._change_under_way():
            return
        lagging = frozenset(
            node_id
            for node_id in self.isr.committed
            if node_id in self.replicas and not self._is_caught_up(self.replicas[node_id])
        )
        if lagging and not (self.holds and self._holds_isr()):
            self._submit_alter_partition(self.isr.pending_shrink(lagging))

    def _set_isr(self, state: IsrState) -> None:
        self.isr = state
        self._log.notify_listeners()

    def _change_under_way(self) -> bool:
        """Whether an ISR change is pending; submits it again if the last response left it open."""
        if self.isr.proposed is None:
            return False
        if self._should_retry:
            self._submit_alter_partition(self.isr)
        return True

    def _submit_alter_partition(self, state: IsrState) -> None:
        assert state.proposed is not None
        self._set_isr(state)
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
            change, lambda response: self._handle_alter_partition_response(state, response)
        )

    def _broker_epoch(self, node_id: int) -> int:
        """The broker epoch in which this leader knows the node; -1 if it has not fetched yet."""
        if node_id == self._node.node_id:
            own = self._node.alive(node_id)
            return -1 if own is None else own.epoch
        epoch = self.replicas[node_id].broker_epoch
        return -1 if epoch is None else epoch

    def _handle_alter_partition_response(
        self, state: IsrState, response: AlterPartitionResult
    ) -> None:
        """Process the controller's response, unless newer metadata has replaced *state*."""
        if self.isr is not state:
            return
        if isinstance(response, ApiError):
            if response.code in _REFUSED:
                self._set_isr(IsrState.of(state.committed))
            elif response.code not in _NEWER_METADATA:
                # The change may have been committed or not; it stays pending.
                self._should_retry = True
            return
        if response.leader_epoch != self.registration.leader_epoch:
            # The change has completed a reassignment in a new leader epoch; metadata follows.
            return
        self.registration = response
        self._set_isr(IsrState.of(response.isr))
        if self.maybe_increment_high_watermark():
            self._node.offsets_moved(self._key, self._log.high_watermark, None)
