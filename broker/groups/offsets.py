"""Committed offsets of groups: the written ones and the replicated ones.

Requests that write use the *written* offsets. OffsetFetch returns the *replicated* ones, because
the next leader may not have the others (Kafka reads its state as of the last committed offset).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from broker.common.topic_partition import TopicPartition
from broker.coordinators.coordinator_record import CoordinatorRecord
from broker.groups.records.offsets import OffsetCommitKey, OffsetCommitValue
from broker.groups.records.serde import NO_TIMESTAMP
from protocol.schema import ZERO_UUID


@dataclass(slots=True)
class OffsetAndMetadata:
    """A committed offset; times are in milliseconds since the Unix epoch."""

    offset: int
    leader_epoch: int = -1
    metadata: str = ""
    commit_timestamp_ms: int = NO_TIMESTAMP
    # Only for commits of versions 2 to 4, which contain a retention.
    expire_timestamp_ms: int | None = None
    topic_id: UUID = ZERO_UUID

    @classmethod
    def from_record(cls, value: OffsetCommitValue) -> OffsetAndMetadata:
        """The offset of a record."""
        expires = value.expire_timestamp
        return cls(
            value.offset,
            value.leader_epoch,
            value.metadata,
            value.commit_timestamp,
            None if expires == NO_TIMESTAMP else expires,
            value.topic_id,
        )

    def to_record(self, group_id: str, partition: TopicPartition) -> CoordinatorRecord:
        """The record of the offset."""
        expires = self.expire_timestamp_ms
        value = OffsetCommitValue(
            offset=self.offset,
            leader_epoch=self.leader_epoch,
            metadata=self.metadata,
            commit_timestamp=self.commit_timestamp_ms,
            expire_timestamp=NO_TIMESTAMP if expires is None else expires,
            topic_id=self.topic_id,
        )
        return CoordinatorRecord(_key(group_id, partition), value)


Offsets = Mapping[TopicPartition, OffsetAndMetadata]
# None deletes the offset.
Changes = Mapping[TopicPartition, OffsetAndMetadata | None]
_Table = dict[str, dict[TopicPartition, OffsetAndMetadata]]


def tombstone(group_id: str, partition: TopicPartition) -> CoordinatorRecord:
    """The record that deletes an offset."""
    return CoordinatorRecord(_key(group_id, partition))


class OffsetTable:
    """The offsets of the groups that a node coordinates."""

    def __init__(self) -> None:
        self._written: _Table = {}
        self._replicated: _Table = {}

    def written(self, group_id: str) -> Offsets:
        """All offsets of a group, replicated or not."""
        return self._written.get(group_id, {})

    def replicated(self, group_id: str) -> Offsets:
        """The replicated offsets of a group."""
        return self._replicated.get(group_id, {})

    def write(self, group_id: str, changes: Changes) -> None:
        """Apply changes that are appended."""
        _change(self._written, group_id, changes)

    def replicate(self, group_id: str, changes: Changes) -> None:
        """Apply changes that are replicated."""
        _change(self._replicated, group_id, changes)

    def remove(self, group_id: str) -> None:
        """Remove the offsets of a group that is deleted or unloaded."""
        self._written.pop(group_id, None)
        self._replicated.pop(group_id, None)


def _change(table: _Table, group_id: str, changes: Changes) -> None:
    offsets = table.setdefault(group_id, {})
    for partition, offset in changes.items():
        if offset is None:
            offsets.pop(partition, None)
        else:
            offsets[partition] = offset
    if not offsets:
        del table[group_id]


def _key(group_id: str, partition: TopicPartition) -> OffsetCommitKey:
    return OffsetCommitKey(group=group_id, topic=partition.topic, partition=partition.partition)
