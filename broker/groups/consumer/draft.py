"""The records of one request or timeout, and the group that results from them.

The records are appended in one batch when the draft is finished. If the log refuses them, or the
request fails before that, the draft is dropped and the group is unchanged. Kafka uses the records
of a ``CoordinatorResult`` and the snapshots of its timeline data structures.
"""

from __future__ import annotations

from collections.abc import Iterable

from broker.coordinators.coordinator_record import CoordinatorRecord
from broker.groups.consumer.group import ConsumerGroup, ResolvedRegex
from broker.groups.consumer.member import ConsumerGroupMember, Partitions
from broker.groups.consumer.replay import replay
from broker.groups.draft_records import DraftRecords
from broker.groups.records.consumer import (
    ConsumerGroupCurrentMemberAssignmentKey,
    ConsumerGroupMemberMetadataKey,
    ConsumerGroupMetadataKey,
    ConsumerGroupMetadataValue,
    ConsumerGroupPartitionMetadataKey,
    ConsumerGroupRegularExpressionKey,
    ConsumerGroupRegularExpressionValue,
    ConsumerGroupTargetAssignmentMemberKey,
    ConsumerGroupTargetAssignmentMemberValue,
    ConsumerGroupTargetAssignmentMetadataKey,
    ConsumerGroupTargetAssignmentMetadataValue,
    TargetTopicPartitions,
)


class GroupDraft(DraftRecords):
    """Collects records; ``group`` is the group after their replay, ``former`` before it.

    *before* are records that precede them, such as the tombstones of a converted group.
    """

    def __init__(self, group: ConsumerGroup, before: Iterable[CoordinatorRecord] = ()) -> None:
        super().__init__(before)
        self.group = self.former = group
        self._is_copy = False
        # Whether the metadata hash of the group was compared with the present topics.
        self.is_up_to_date = False
        # Whether a static member was replaced, whose subscription may differ.
        self.has_replaced = False

    @property
    def group_id(self) -> str:
        """The id of the group."""
        return self.group.group_id

    def write(self, record: CoordinatorRecord) -> None:
        """Add a record and replay it."""
        if not self._is_copy:
            self.group = self.group.copy()
            self._is_copy = True
        self.records.append(record)
        replay(self.group, record)

    # ------------------------------------------------------------------------------ members

    def write_metadata(self, member: ConsumerGroupMember) -> None:
        """Write the metadata of a new or changed member."""
        key = ConsumerGroupMemberMetadataKey(group_id=self.group_id, member_id=member.member_id)
        self.write(CoordinatorRecord(key, member.metadata_value()))

    def write_assignment(self, member: ConsumerGroupMember) -> None:
        """Write the current assignment and the epoch of a member."""
        key = ConsumerGroupCurrentMemberAssignmentKey(
            group_id=self.group_id, member_id=member.member_id
        )
        self.write(CoordinatorRecord(key, member.assignment_value()))

    def write_target(self, member_id: str, target: Partitions) -> None:
        """Write the target assignment of a member."""
        key = ConsumerGroupTargetAssignmentMemberKey(group_id=self.group_id, member_id=member_id)
        value = ConsumerGroupTargetAssignmentMemberValue(
            topic_partitions=[
                TargetTopicPartitions(topic_id=topic_id, partitions=sorted(partitions))
                for topic_id, partitions in target.items()
            ]
        )
        self.write(CoordinatorRecord(key, value))

    def remove(self, member_id: str) -> None:
        """Remove a member."""
        whose = {"group_id": self.group_id, "member_id": member_id}
        self.write(CoordinatorRecord(ConsumerGroupCurrentMemberAssignmentKey(**whose)))
        self.write(CoordinatorRecord(ConsumerGroupTargetAssignmentMemberKey(**whose)))
        self.write(CoordinatorRecord(ConsumerGroupMemberMetadataKey(**whose)))

    # -------------------------------------------------------------------------------- group

    def write_epoch(self, epoch: int, metadata_hash: int) -> None:
        """Write a new group epoch, which requires a new target assignment."""
        key = ConsumerGroupMetadataKey(group_id=self.group_id)
        self.write(
            CoordinatorRecord(
                key, ConsumerGroupMetadataValue(epoch=epoch, metadata_hash=metadata_hash)
            )
        )

    def write_assignment_epoch(self, epoch: int, timestamp_ms: int) -> None:
        """Write the epoch and the time of a new target assignment."""
        key = ConsumerGroupTargetAssignmentMetadataKey(group_id=self.group_id)
        value = ConsumerGroupTargetAssignmentMetadataValue(
            assignment_epoch=epoch, assignment_timestamp=timestamp_ms
        )
        self.write(CoordinatorRecord(key, value))

    def write_regex(self, regex: str, resolved: ResolvedRegex | None) -> None:
        """Write the topics that match a regular expression; None if no member subscribes to it."""
        key = ConsumerGroupRegularExpressionKey(group_id=self.group_id, regular_expression=regex)
        value = None
        if resolved is not None:
            value = ConsumerGroupRegularExpressionValue(
                topics=sorted(resolved.topics),
                version=resolved.version,
                timestamp=resolved.timestamp_ms,
            )
        self.write(CoordinatorRecord(key, value))

    def remove_unsubscribed_regexes(self) -> None:
        """Remove the regular expressions that no member subscribes to."""
        for regex in sorted(self.group.regexes.keys() - self.group.subscribed_regexes()):
            self.write_regex(regex, None)

    def remove_partition_metadata(self) -> None:
        """Remove the record in which brokers before 4.1 kept the topics (KIP-1101)."""
        self.write(CoordinatorRecord(ConsumerGroupPartitionMetadataKey(group_id=self.group_id)))
