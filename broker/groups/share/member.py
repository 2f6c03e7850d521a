"""A member of a share group (Kafka's ``ShareGroupMember``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from uuid import UUID

from broker.groups.records.share import (
    AssignedPartitions,
    ShareGroupCurrentMemberAssignmentValue,
    ShareGroupMemberMetadataValue,
)
from protocol.lazy_dataclass import dataclass

# Partitions by topic; the tuples are sorted.
Partitions = Mapping[UUID, tuple[int, ...]]

# Members have no phase in which they revoke partitions.
_STATE_STABLE = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareGroupMember:
    """A member; ``assigned`` is its current assignment."""

    member_id: str
    rack_id: str | None = None
    client_id: str = ""
    client_host: str = ""
    subscribed_topic_names: frozenset[str] = frozenset()
    member_epoch: int = 0
    previous_member_epoch: int = 0
    assigned: Partitions = field(default_factory=dict)

    def with_metadata(self, value: ShareGroupMemberMetadataValue) -> ShareGroupMember:
        """The member with the metadata of a record."""
        return replace(
            self,
            rack_id=value.rack_id,
            client_id=value.client_id,
            client_host=value.client_host,
            subscribed_topic_names=frozenset(value.subscribed_topic_names),
        )

    def with_assignment(self, value: ShareGroupCurrentMemberAssignmentValue) -> ShareGroupMember:
        """The member with the assignment and the epochs of a record."""
        return replace(
            self,
            member_epoch=value.member_epoch,
            previous_member_epoch=value.previous_member_epoch,
            assigned=read_partitions(value.assigned_partitions),
        )

    def metadata_value(self) -> ShareGroupMemberMetadataValue:
        """The record of the metadata."""
        return ShareGroupMemberMetadataValue(
            rack_id=self.rack_id,
            client_id=self.client_id,
            client_host=self.client_host,
            subscribed_topic_names=sorted(self.subscribed_topic_names),
        )

    def assignment_value(self) -> ShareGroupCurrentMemberAssignmentValue:
        """The record of the assignment."""
        return ShareGroupCurrentMemberAssignmentValue(
            member_epoch=self.member_epoch,
            previous_member_epoch=self.previous_member_epoch,
            state=_STATE_STABLE,
            assigned_partitions=written_partitions(self.assigned),
        )


def read_partitions(topics: list[AssignedPartitions]) -> Partitions:
    """The partitions in a record."""
    return {each.topic_id: tuple(sorted(each.partitions)) for each in topics}


def written_partitions(partitions: Partitions) -> list[AssignedPartitions]:
    """Partitions for a record."""
    return [
        AssignedPartitions(topic_id=topic_id, partitions=list(each))
        for topic_id, each in partitions.items()
    ]
