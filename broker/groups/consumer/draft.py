"""What one request or one timeout makes of a group: records, and the group as they leave it.

The records are appended together when the draft is finished. If the log refuses them, or the
request is refused half-way, the draft is dropped and the group is what it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress

from broker.coordinators.coordinator_record import CoordinatorRecord, RawRecord
from broker.groups.consumer.group import ConsumerGroup, ResolvedRegex
from broker.groups.consumer.member import ConsumerGroupMember, Partitions
from broker.groups.consumer.replay import replay
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
from broker.groups.records.serde import GROUP_RECORDS
from protocol.codec import Unencodable


class GroupDraft:
    """Collects records; ``group`` is the group after them."""

    def __init__(self, group: ConsumerGroup, before: Iterable[CoordinatorRecord] = ()) -> None:
        # *before*: the end of what the group was until now.
        self.records = list(before)
        self._serialized: list[RawRecord] | None = None
        self.group = group
        self._is_copy = False
        # Whether the group's topics have been compared with those its epoch was counted for.
        self.is_up_to_date = False
        # Whether one member has replaced another, which may have subscribed to other topics.
        self.has_replaced = False

    @property
    def group_id(self) -> str:
        """Whose draft it is."""
        return self.group.group_id

    def write(self, record: CoordinatorRecord) -> None:
        """Add a record, and let the group be as it says."""
        if not self._is_copy:
            self.group = self.group.copied()
            self._is_copy = True
        self.records.append(record)
        replay(self.group, record)

    def serialize(self) -> None:
        """Turn the records into bytes now; no others may follow."""
        with suppress(Unencodable):  # `CoordinatorRuntime.append` finds it again, and refuses
            self._serialized = [GROUP_RECORDS.serialize(record) for record in self.records]

    @property
    def to_append(self) -> Sequence[CoordinatorRecord | RawRecord]:
        """What is to be appended to the log."""
        return self.records if self._serialized is None else self._serialized

    # ------------------------------------------------------------------------------ members

    def write_metadata(self, member: ConsumerGroupMember) -> None:
        """A member is new, or says something else of itself."""
        key = ConsumerGroupMemberMetadataKey(group_id=self.group_id, member_id=member.member_id)
        self.write(CoordinatorRecord(key, member.metadata_value()))

    def write_assignment(self, member: ConsumerGroupMember) -> None:
        """A member has something else, or is in another epoch."""
        key = ConsumerGroupCurrentMemberAssignmentKey(
            group_id=self.group_id, member_id=member.member_id
        )
        self.write(CoordinatorRecord(key, member.assignment_value()))

    def write_target(self, member_id: str, target: Partitions) -> None:
        """A member shall have something else."""
        key = ConsumerGroupTargetAssignmentMemberKey(group_id=self.group_id, member_id=member_id)
        value = ConsumerGroupTargetAssignmentMemberValue(
            topic_partitions=[
                TargetTopicPartitions(topic_id=topic_id, partitions=sorted(partitions))
                for topic_id, partitions in target.items()
            ]
        )
        self.write(CoordinatorRecord(key, value))

    def remove(self, member_id: str) -> None:
        """A member is gone."""
        whose = {"group_id": self.group_id, "member_id": member_id}
        self.write(CoordinatorRecord(ConsumerGroupCurrentMemberAssignmentKey(**whose)))
        self.write(CoordinatorRecord(ConsumerGroupTargetAssignmentMemberKey(**whose)))
        self.write(CoordinatorRecord(ConsumerGroupMemberMetadataKey(**whose)))

    # -------------------------------------------------------------------------------- group

    def write_epoch(self, epoch: int, metadata_hash: int) -> None:
        """The group is to be assigned anew."""
        key = ConsumerGroupMetadataKey(group_id=self.group_id)
        self.write(
            CoordinatorRecord(
                key, ConsumerGroupMetadataValue(epoch=epoch, metadata_hash=metadata_hash)
            )
        )

    def write_assignment_epoch(self, epoch: int, timestamp_ms: int) -> None:
        """The group has been assigned anew."""
        key = ConsumerGroupTargetAssignmentMetadataKey(group_id=self.group_id)
        value = ConsumerGroupTargetAssignmentMetadataValue(
            assignment_epoch=epoch, assignment_timestamp=timestamp_ms
        )
        self.write(CoordinatorRecord(key, value))

    def write_regex(self, regex: str, resolved: ResolvedRegex | None) -> None:
        """A regular expression stands for other topics; None: nobody subscribes to it."""
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
        """Forget the topics of regular expressions that no member subscribes to any more."""
        for regex in sorted(self.group.regexes.keys() - self.group.subscribed_regexes()):
            self.write_regex(regex, None)

    def remove_partition_metadata(self) -> None:
        """What an older broker wrote of the topics is of no use any more (KIP-1101)."""
        self.write(CoordinatorRecord(ConsumerGroupPartitionMetadataKey(group_id=self.group_id)))
