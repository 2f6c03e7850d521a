"""The stored state of a share partition, and the records that change it (``ShareGroupOffset``)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from broker.coordinators.coordinator_record import CoordinatorRecord
from broker.share.persister import (
    UNINITIALIZED_START_OFFSET,
    UNKNOWN_COUNT,
    PersisterStateBatch,
    StateWrite,
)
from broker.share.share_partition_key import SharePartitionKey
from broker.share_coordinator.records import (
    ShareSnapshotKey,
    ShareSnapshotValue,
    ShareUpdateKey,
    ShareUpdateValue,
)
from broker.share_coordinator.state_batches import Batches, merged
from protocol.lazy_dataclass import dataclass
from protocol.messages.read_share_group_state import StateBatch


@dataclass(frozen=True, slots=True, kw_only=True)
class SharePartitionState:
    """A state: that of the last snapshot with the updates after it; times are wall times.

    ``update_count`` is the number of these updates, ``snapshot_offset`` the offset of the snapshot
    in the log.
    """

    snapshot_epoch: int
    state_epoch: int
    leader_epoch: int
    start_offset: int
    delivery_complete_count: int
    batches: Batches
    create_timestamp: int
    write_timestamp: int
    update_count: int = 0
    snapshot_offset: int = 0

    def updated(self, update: ShareUpdateValue) -> SharePartitionState:
        """The state after an update."""
        start_offset = _changed(update.start_offset, UNINITIALIZED_START_OFFSET, self.start_offset)
        batches = merged(self.batches, from_records(update.state_batches), start_offset)
        return SharePartitionState(
            snapshot_epoch=self.snapshot_epoch,
            state_epoch=self.state_epoch,
            leader_epoch=_changed(update.leader_epoch, -1, self.leader_epoch),
            start_offset=start_offset,
            delivery_complete_count=update.delivery_complete_count,
            batches=batches,
            create_timestamp=self.create_timestamp,
            write_timestamp=self.write_timestamp,
            update_count=self.update_count + 1,
            snapshot_offset=self.snapshot_offset,
        )

    def snapshot_after(self, change: StateWrite, now_wall_ms: int) -> SharePartitionState:
        """The next snapshot, with a change; it keeps the state epoch."""
        start_offset = _changed(change.start_offset, UNINITIALIZED_START_OFFSET, self.start_offset)
        return replace(
            self,
            snapshot_epoch=self.snapshot_epoch + 1,
            leader_epoch=_changed(change.leader_epoch, -1, self.leader_epoch),
            start_offset=start_offset,
            delivery_complete_count=change.delivery_complete_count,
            batches=merged(self.batches, change.batches, start_offset),
            create_timestamp=now_wall_ms,
            write_timestamp=now_wall_ms,
        )

    def repeated(self, now_wall_ms: int) -> SharePartitionState:
        """The next snapshot without a change, so that the records before it can be deleted."""
        return replace(self, snapshot_epoch=self.snapshot_epoch + 1, write_timestamp=now_wall_ms)

    @property
    def is_repeated(self) -> bool:
        """Whether it has not changed since its last snapshot, which was a repetition."""
        return self.create_timestamp != self.write_timestamp and not self.update_count


def initialized(
    before: SharePartitionState | None, state_epoch: int, start_offset: int, now_wall_ms: int
) -> SharePartitionState:
    """The state after an initialization: it has no batches."""
    is_unknown = start_offset == UNINITIALIZED_START_OFFSET
    return SharePartitionState(
        snapshot_epoch=0 if before is None else before.snapshot_epoch + 1,
        state_epoch=state_epoch,
        leader_epoch=0,
        start_offset=start_offset,
        delivery_complete_count=UNKNOWN_COUNT if is_unknown else 0,
        batches=(),
        create_timestamp=now_wall_ms,
        write_timestamp=now_wall_ms,
    )


def restored(snapshot: ShareSnapshotValue, offset: int) -> SharePartitionState:
    """The state of a snapshot at *offset* of the log."""
    return SharePartitionState(
        snapshot_epoch=snapshot.snapshot_epoch,
        state_epoch=snapshot.state_epoch,
        leader_epoch=snapshot.leader_epoch,
        start_offset=snapshot.start_offset,
        delivery_complete_count=snapshot.delivery_complete_count,
        batches=from_records(snapshot.state_batches),
        create_timestamp=snapshot.create_timestamp,
        write_timestamp=snapshot.write_timestamp,
        snapshot_offset=offset,
    )


def snapshot_record(key: SharePartitionKey, state: SharePartitionState) -> CoordinatorRecord:
    """The record of a snapshot."""
    value = ShareSnapshotValue(
        snapshot_epoch=state.snapshot_epoch,
        state_epoch=state.state_epoch,
        leader_epoch=state.leader_epoch,
        start_offset=state.start_offset,
        delivery_complete_count=state.delivery_complete_count,
        create_timestamp=state.create_timestamp,
        write_timestamp=state.write_timestamp,
        state_batches=to_records(state.batches),
    )
    return CoordinatorRecord(_snapshot_key(key), value)


def update_record(
    key: SharePartitionKey, snapshot_epoch: int, change: StateWrite
) -> CoordinatorRecord:
    """The record of a change after the snapshot with that epoch."""
    value = ShareUpdateValue(
        snapshot_epoch=snapshot_epoch,
        leader_epoch=change.leader_epoch,
        start_offset=change.start_offset,
        delivery_complete_count=change.delivery_complete_count,
        state_batches=to_records(merged((), change.batches, change.start_offset)),
    )
    update_key = ShareUpdateKey(
        group_id=key.group_id, topic_id=key.topic_id, partition=key.partition
    )
    return CoordinatorRecord(update_key, value)


def tombstone(key: SharePartitionKey) -> CoordinatorRecord:
    """The record that deletes a state."""
    return CoordinatorRecord(_snapshot_key(key))


def from_records(batches: Iterable[StateBatch]) -> Batches:
    """Batches as a message contains them."""
    return tuple(
        PersisterStateBatch(
            each.first_offset, each.last_offset, each.delivery_state, each.delivery_count
        )
        for each in batches
    )


def to_records(batches: Iterable[PersisterStateBatch]) -> list[StateBatch]:
    """Batches for a message."""
    return [
        StateBatch(
            first_offset=each.first_offset,
            last_offset=each.last_offset,
            delivery_state=each.delivery_state,
            delivery_count=each.delivery_count,
        )
        for each in batches
    ]


def _snapshot_key(key: SharePartitionKey) -> ShareSnapshotKey:
    return ShareSnapshotKey(group_id=key.group_id, topic_id=key.topic_id, partition=key.partition)


def _changed(new: int, unchanged: int, before: int) -> int:
    return before if new == unchanged else new
