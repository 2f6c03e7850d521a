"""A member of a consumer group (Kafka's ``ConsumerGroupMember``)."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from enum import IntEnum
from uuid import UUID, uuid4

from broker.groups.records.consumer import (
    ClassicMemberMetadata,
    ConsumerGroupCurrentMemberAssignmentValue,
    ConsumerGroupMemberMetadataValue,
    CurrentTopicPartitions,
)
from protocol.lazy_dataclass import dataclass

JOINING_EPOCH = 0
LEAVING_EPOCH = -1
# A static member leaves temporarily (KIP-345).
LEAVING_STATIC_EPOCH = -2

Partitions = Mapping[UUID, frozenset[int]]
# The partitions of a member, each with the epoch in which it was assigned (KIP-1251).
OwnedPartitions = Mapping[UUID, Mapping[int, int]]


class MemberState(IntEnum):
    """The progress of a member's reconciliation; the values are those of the records."""

    STABLE = 0
    UNREVOKED_PARTITIONS = 1  # it has to revoke partitions
    UNRELEASED_PARTITIONS = 2  # other members have to revoke partitions of its target
    UNKNOWN = 127  # a value that a newer coordinator has written

    @classmethod
    def _missing_(cls, value: object) -> MemberState:  # noqa: ARG003 - any value
        return cls.UNKNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerGroupMember:
    """A member; it is immutable."""

    member_id: str
    instance_id: str | None = None
    rack_id: str | None = None
    client_id: str = ""
    client_host: str = ""
    rebalance_timeout_ms: int = -1
    subscribed_topic_names: frozenset[str] = frozenset()
    subscribed_topic_regex: str = ""
    server_assignor: str | None = None
    # The metadata of a member that uses the classic protocol.
    classic: ClassicMemberMetadata | None = None

    member_epoch: int = JOINING_EPOCH
    previous_member_epoch: int = JOINING_EPOCH
    state: MemberState = MemberState.STABLE
    assigned: OwnedPartitions = field(default_factory=dict)
    pending_revocation: OwnedPartitions = field(default_factory=dict)

    @property
    def uses_classic_protocol(self) -> bool:
        """Whether it uses JoinGroup, SyncGroup and Heartbeat."""
        return self.classic is not None

    def is_reconciled_to(self, assignment_epoch: int) -> bool:
        """Whether its assignment is its target of *assignment_epoch*."""
        return self.state is MemberState.STABLE and self.member_epoch == assignment_epoch

    def owns(self, topic_id: UUID, partition: int) -> bool:
        """Whether a partition is assigned to it, or not revoked yet."""
        return partition in self.assigned.get(topic_id, ()) or partition in (
            self.pending_revocation.get(topic_id, ())
        )

    @property
    def owned(self) -> OwnedPartitions:
        """The partitions that are assigned to it or not revoked yet."""
        topics = {**self.assigned, **self.pending_revocation}
        return {
            topic_id: {
                **self.assigned.get(topic_id, {}),
                **self.pending_revocation.get(topic_id, {}),
            }
            for topic_id in topics
        }

    def at_epoch(self, member_epoch: int) -> ConsumerGroupMember:
        """The member in another epoch; its present epoch becomes the previous one."""
        if member_epoch == self.member_epoch:
            return self
        return replace(self, member_epoch=member_epoch, previous_member_epoch=self.member_epoch)

    # ------------------------------------------------------------------------------ records

    def metadata_value(self) -> ConsumerGroupMemberMetadataValue:
        """The value of its metadata record."""
        return ConsumerGroupMemberMetadataValue(
            instance_id=self.instance_id,
            rack_id=self.rack_id,
            client_id=self.client_id,
            client_host=self.client_host,
            subscribed_topic_names=sorted(self.subscribed_topic_names),
            subscribed_topic_regex=self.subscribed_topic_regex,
            rebalance_timeout_ms=self.rebalance_timeout_ms,
            server_assignor=self.server_assignor,
            classic_member_metadata=self.classic,
        )

    def with_metadata(self, value: ConsumerGroupMemberMetadataValue) -> ConsumerGroupMember:
        """The member after the replay of such a record."""
        return replace(
            self,
            instance_id=value.instance_id,
            rack_id=value.rack_id,
            client_id=value.client_id,
            client_host=value.client_host,
            subscribed_topic_names=frozenset(value.subscribed_topic_names),
            subscribed_topic_regex=value.subscribed_topic_regex or "",
            rebalance_timeout_ms=value.rebalance_timeout_ms,
            server_assignor=value.server_assignor,
            classic=value.classic_member_metadata,
        )

    def assignment_value(self) -> ConsumerGroupCurrentMemberAssignmentValue:
        """The value of its current assignment record."""
        return ConsumerGroupCurrentMemberAssignmentValue(
            member_epoch=self.member_epoch,
            previous_member_epoch=self.previous_member_epoch,
            state=self.state,
            assigned_partitions=_written(self.assigned),
            partitions_pending_revocation=_written(self.pending_revocation),
        )

    def with_assignment(
        self, value: ConsumerGroupCurrentMemberAssignmentValue
    ) -> ConsumerGroupMember:
        """The member after the replay of such a record."""
        return replace(
            self,
            member_epoch=value.member_epoch,
            previous_member_epoch=value.previous_member_epoch,
            state=MemberState(value.state),
            assigned=_read(value.assigned_partitions),
            pending_revocation=_read(value.partitions_pending_revocation),
        )


def generate_member_id() -> str:
    """Return a member id in the format of Kafka's ``Uuid``: base64 without padding.

    It does not begin with a dash, so that it can be an argument of a command.
    """
    while True:
        member_id = base64.urlsafe_b64encode(uuid4().bytes).rstrip(b"=").decode()
        if not member_id.startswith("-"):
            return member_id


def without_epochs(owned: OwnedPartitions) -> OwnedPartitions:
    """The same partitions with epoch 0."""
    return {topic_id: dict.fromkeys(partitions, 0) for topic_id, partitions in owned.items()}


def _written(owned: OwnedPartitions) -> list[CurrentTopicPartitions]:
    return [
        CurrentTopicPartitions(
            topic_id=topic_id,
            partitions=sorted(partitions),
            assignment_epochs=[partitions[each] for each in sorted(partitions)],
        )
        for topic_id, partitions in owned.items()
    ]


def _read(written: Iterable[CurrentTopicPartitions]) -> OwnedPartitions:
    owned = {}
    for topic in written:
        # Brokers before 4.3 do not write the epochs.
        epochs = topic.assignment_epochs or [0] * len(topic.partitions)
        owned[topic.topic_id] = dict(zip(topic.partitions, epochs, strict=False))
    return owned
