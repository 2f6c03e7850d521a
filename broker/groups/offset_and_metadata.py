"""A committed offset, and its record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from uuid import UUID

from broker.common.topic_partition import TopicPartition
from broker.coordinators.coordinator_record import NO_OFFSET, CoordinatorRecord
from broker.groups.records.offsets import OffsetCommitKey, OffsetCommitValue
from broker.groups.records.serde import NO_TIMESTAMP
from protocol.lazy_dataclass import dataclass
from protocol.schema import ZERO_UUID


@dataclass(slots=True)
class OffsetAndMetadata:
    """A committed offset; times are in milliseconds since the Unix epoch.

    ``record_offset`` is the offset of its record in the log of the group.
    """

    offset: int
    leader_epoch: int = -1
    metadata: str = ""
    commit_timestamp_ms: int = NO_TIMESTAMP
    # Only for commits of versions 2 to 4, which contain a retention.
    expire_timestamp_ms: int | None = None
    topic_id: UUID = ZERO_UUID
    record_offset: int = field(default=NO_OFFSET, compare=False)

    @classmethod
    def from_record(
        cls, value: OffsetCommitValue, record_offset: int = NO_OFFSET
    ) -> OffsetAndMetadata:
        """The offset of a record."""
        expires = value.expire_timestamp
        return cls(
            value.offset,
            value.leader_epoch,
            value.metadata,
            value.commit_timestamp,
            None if expires == NO_TIMESTAMP else expires,
            value.topic_id,
            record_offset,
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


def tombstone(group_id: str, partition: TopicPartition) -> CoordinatorRecord:
    """The record that deletes an offset."""
    return CoordinatorRecord(_key(group_id, partition))


def _key(group_id: str, partition: TopicPartition) -> OffsetCommitKey:
    return OffsetCommitKey(group=group_id, topic=partition.topic, partition=partition.partition)
