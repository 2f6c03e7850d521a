"""The states that records of ``__share_group_state`` add up to (``ShareCoordinatorShard.replay``).

Appended records are applied by the same replay as loaded ones.
"""

from __future__ import annotations

from dataclasses import field

from broker.coordinators.coordinator_record import CoordinatorRecord, RawRecord
from broker.share.share_partition_key import SharePartitionKey, share_partition_key
from broker.share_coordinator.records import (
    ShareSnapshotKey,
    ShareSnapshotValue,
    ShareUpdateKey,
    ShareUpdateValue,
)
from broker.share_coordinator.serde import SHARE_STATE_RECORDS
from broker.share_coordinator.share_partition_state import SharePartitionState, restored
from protocol.lazy_dataclass import dataclass


@dataclass(slots=True)
class HighestEpochs:
    """The highest epochs that a share partition has had; lower ones are fenced."""

    state_epoch: int
    leader_epoch: int


@dataclass(slots=True)
class ShareStates:
    """The share partitions of one partition of the topic (a `CoordinatorPlayback`).

    ``snapshot_end`` is the offset after the last snapshot or tombstone, ``kept_from`` the smallest
    one of a snapshot that was left out.
    """

    states: dict[SharePartitionKey, SharePartitionState] = field(default_factory=dict)
    epochs: dict[SharePartitionKey, HighestEpochs] = field(default_factory=dict)
    snapshot_end: int = 0
    kept_from: int | None = None

    def load(self, raw: RawRecord, _now_wall_ms: int) -> None:
        """Apply a record of the log; raises `Malformed`. Unknown types are ignored, as in Kafka."""
        record = SHARE_STATE_RECORDS.deserialize(raw)
        if record is not None:
            self.replay(record, raw.offset)

    def begin_unreplicated(self) -> None:
        """See `CoordinatorPlayback`; only groups distinguish these records."""

    def end_transaction(self, producer_id: int, *, is_commit: bool) -> None:
        """The topic has no transactions; a marker of one has no effect."""

    def replay(self, record: CoordinatorRecord, offset: int) -> None:
        """Apply a record at *offset*; an update without a snapshot before it is ignored."""
        key = share_partition_key(record.key.group_id, record.key.topic_id, record.key.partition)
        self.apply(key, record, offset)

    def apply(self, key: SharePartitionKey, record: CoordinatorRecord, offset: int) -> None:
        """`replay` of a record about the share partition *key*."""
        if isinstance(record.key, ShareSnapshotKey):
            self.snapshot_end = offset + 1
            self._replay_snapshot(key, record.value, offset)
        elif isinstance(record.key, ShareUpdateKey) and record.value is not None:
            self._replay_update(key, record.value)

    def _replay_snapshot(
        self, key: SharePartitionKey, value: ShareSnapshotValue | None, offset: int
    ) -> None:
        if value is None:
            self.states.pop(key, None)
            self.epochs.pop(key, None)
            return
        state = self.states[key] = restored(value, offset)
        epochs = self.epochs.setdefault(key, HighestEpochs(state.state_epoch, state.leader_epoch))
        epochs.state_epoch = max(epochs.state_epoch, state.state_epoch)
        epochs.leader_epoch = max(epochs.leader_epoch, state.leader_epoch)

    def _replay_update(self, key: SharePartitionKey, update: ShareUpdateValue) -> None:
        before = self.states.get(key)
        if before is not None:
            self.states[key] = before.updated(update)
            epochs = self.epochs[key]
            epochs.leader_epoch = max(epochs.leader_epoch, update.leader_epoch)

    def leave_out(self, key: SharePartitionKey) -> None:
        """Remove a state that was loaded; its records are not redundant."""
        offset = self.states.pop(key).snapshot_offset
        self.kept_from = offset if self.kept_from is None else min(offset, self.kept_from)
        del self.epochs[key]

    @property
    def redundant_end(self) -> int:
        """The offset below which no record is needed (``ShareCoordinatorOffsetsManager``)."""
        offsets = [state.snapshot_offset for state in self.states.values()]
        if self.kept_from is not None:
            offsets.append(self.kept_from)
        return min(offsets, default=self.snapshot_end)
