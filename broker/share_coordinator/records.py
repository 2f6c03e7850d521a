"""The records of ``__share_group_state``.

A snapshot replaces the state of a share partition, and an update changes the state of the snapshot
whose epoch it has. The tombstone of a snapshot deletes the state; updates have no tombstone.
"""

from __future__ import annotations

from protocol.messages.read_share_group_state import StateBatch
from protocol.schema import int32, int64, message, since, string, uuid


@message(0, versions=(0, 0))
class ShareSnapshotKey:
    """A share partition."""

    group_id: string
    topic_id: uuid
    partition: int32


@message(0, versions=(0, 0), flexible=0)
class ShareSnapshotValue:
    """The complete state; the timestamps differ if the snapshot repeats an unchanged state."""

    snapshot_epoch: int32
    state_epoch: int32
    leader_epoch: int32
    start_offset: int64
    delivery_complete_count: int32 = since(tag=0, default=-1)
    create_timestamp: int64
    write_timestamp: int64
    state_batches: list[StateBatch]


@message(1, versions=(0, 0))
class ShareUpdateKey:
    """A share partition."""

    group_id: string
    topic_id: uuid
    partition: int32


@message(1, versions=(0, 0), flexible=0)
class ShareUpdateValue:
    """A start offset, and the batches that have changed since the record before."""

    snapshot_epoch: int32
    leader_epoch: int32
    start_offset: int64
    delivery_complete_count: int32 = since(tag=0, default=-1)
    state_batches: list[StateBatch]
