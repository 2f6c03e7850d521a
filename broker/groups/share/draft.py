"""The records of one request or timeout, and the share group that results from them.

They are appended in one batch; if the log refuses them, the draft is dropped.
"""

from __future__ import annotations

from broker.coordinators.coordinator_record import CoordinatorRecord
from broker.groups.draft_records import DraftRecords
from broker.groups.records.share import (
    ShareGroupCurrentMemberAssignmentKey,
    ShareGroupMemberMetadataKey,
    ShareGroupMetadataKey,
    ShareGroupMetadataValue,
    ShareGroupStatePartitionMetadataKey,
    ShareGroupTargetAssignmentMemberKey,
    ShareGroupTargetAssignmentMemberValue,
    ShareGroupTargetAssignmentMetadataKey,
    ShareGroupTargetAssignmentMetadataValue,
)
from broker.groups.share.group import ShareGroup
from broker.groups.share.member import Partitions, ShareGroupMember, written_partitions
from broker.groups.share.state_partitions import StatePartitions


class ShareDraft(DraftRecords):
    """The records of a request; ``group`` is the group after their replay."""

    def __init__(self, group: ShareGroup) -> None:
        super().__init__()
        self.group = group.copy()
        self.group_id = group.group_id

    def _write(self, record: CoordinatorRecord) -> None:
        self.records.append(record)
        self.group.replay(record)

    def write_metadata(self, member: ShareGroupMember) -> None:
        """Write the metadata of a new or changed member."""
        key = ShareGroupMemberMetadataKey(group_id=self.group_id, member_id=member.member_id)
        self._write(CoordinatorRecord(key, member.metadata_value()))

    def write_assignment(self, member: ShareGroupMember) -> None:
        """Write the current assignment and the epoch of a member."""
        key = ShareGroupCurrentMemberAssignmentKey(
            group_id=self.group_id, member_id=member.member_id
        )
        self._write(CoordinatorRecord(key, member.assignment_value()))

    def write_target(self, member_id: str, target: Partitions) -> None:
        """Write the target assignment of a member."""
        key = ShareGroupTargetAssignmentMemberKey(group_id=self.group_id, member_id=member_id)
        partitions = written_partitions(target)
        value = ShareGroupTargetAssignmentMemberValue(topic_partitions=partitions)
        self._write(CoordinatorRecord(key, value))

    def remove(self, member_id: str) -> None:
        """Remove a member."""
        whose = {"group_id": self.group_id, "member_id": member_id}
        self._write(CoordinatorRecord(ShareGroupCurrentMemberAssignmentKey(**whose)))
        self._write(CoordinatorRecord(ShareGroupTargetAssignmentMemberKey(**whose)))
        self._write(CoordinatorRecord(ShareGroupMemberMetadataKey(**whose)))

    def write_epoch(self, epoch: int, metadata_hash: int) -> None:
        """Write a new group epoch, which requires a new target assignment."""
        value = ShareGroupMetadataValue(epoch=epoch, metadata_hash=metadata_hash)
        self._write(CoordinatorRecord(ShareGroupMetadataKey(group_id=self.group_id), value))

    def write_assignment_epoch(self, epoch: int, timestamp_ms: int) -> None:
        """Write the epoch and the time of a new target assignment."""
        key = ShareGroupTargetAssignmentMetadataKey(group_id=self.group_id)
        value = ShareGroupTargetAssignmentMetadataValue(
            assignment_epoch=epoch, assignment_timestamp=timestamp_ms
        )
        self._write(CoordinatorRecord(key, value))

    def write_state_partitions(self, partitions: StatePartitions) -> None:
        """Write which share partitions have a state."""
        key = ShareGroupStatePartitionMetadataKey(group_id=self.group_id)
        self._write(CoordinatorRecord(key, partitions.to_record()))
