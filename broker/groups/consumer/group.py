"""The state of a consumer group: members, target assignment and epochs (``ConsumerGroup``).

It is the result of the replay of records only. Timeouts and waiting requests are kept elsewhere, so
that a copy can be changed and dropped.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from broker.common.errors import ApiError
from broker.common.java_hash import in_timeline_order, string_hash
from broker.coordinators.coordinator_record import CoordinatorRecord, InconsistentRecord
from broker.groups.consumer.member import (
    ConsumerGroupMember,
    Partitions,
)
from broker.groups.group import CONSUMER, CommitCheck, Committer
from broker.groups.offset_and_metadata import OffsetAndMetadata
from broker.groups.records.consumer import (
    ConsumerGroupCurrentMemberAssignmentKey,
    ConsumerGroupMemberMetadataKey,
    ConsumerGroupMetadataKey,
    ConsumerGroupPartitionMetadataKey,
    ConsumerGroupRegularExpressionKey,
    ConsumerGroupTargetAssignmentMemberKey,
    ConsumerGroupTargetAssignmentMetadataKey,
)
from protocol.consumer_protocol import PROTOCOL_TYPE
from protocol.errors import ErrorCode

# The epochs of a new group: an empty target assignment counts as computed.
INITIAL_EPOCH = 1
# The first version of OffsetCommit in which the generation is a member epoch.
_MEMBER_EPOCHS_SINCE = 9

_NO_MEMBER = ConsumerGroupMember(member_id="")


class ConsumerGroupState(StrEnum):
    """The values are the names in responses."""

    EMPTY = "Empty"
    ASSIGNING = "Assigning"
    RECONCILING = "Reconciling"
    STABLE = "Stable"


class ResolvedRegex(NamedTuple):
    """The topics that matched a regular expression when it was last resolved."""

    topics: frozenset[str]
    version: int
    timestamp_ms: int


class ConsumerGroup:
    """A group of the consumer protocol; some of its members may use the classic protocol."""

    group_type = CONSUMER
    protocol_type = PROTOCOL_TYPE

    def __init__(self, group_id: str) -> None:
        self.group_id = group_id
        self.epoch = INITIAL_EPOCH
        self.metadata_hash = 0
        self.assignment_epoch = INITIAL_EPOCH
        self.assignment_timestamp_ms = 0
        self.members: dict[str, ConsumerGroupMember] = {}
        # Invariant: static_members[member.instance_id] == member.member_id, for each static member.
        # As in Kafka, if a member changes its instance id, the former id stays in the table, even
        # after the member has left.
        self.static_members: dict[str, str] = {}
        # Invariant: owners[topic][partition] is the member that owns it; others have no owner.
        self.owners: dict[UUID, dict[int, str]] = {}
        self.target: dict[str, Partitions] = {}
        self.regexes: dict[str, ResolvedRegex] = {}
        # Whether there is a record in which brokers before 4.1 kept the topics of the group.
        self.has_partition_metadata_record = False
        self.is_deleted = False

    def copy(self) -> ConsumerGroup:
        """Return a shallow copy; the values in its tables are never changed, only replaced."""
        other = copy.copy(self)
        other.members = self.members.copy()
        other.static_members = self.static_members.copy()
        other.owners = self.owners.copy()
        other.target = self.target.copy()
        other.regexes = self.regexes.copy()
        return other

    # -------------------------------------------------------------------------------- state

    @property
    def state(self) -> ConsumerGroupState:
        """The state, derived from the members and the epochs."""
        if not self.members:
            return ConsumerGroupState.EMPTY
        if self.epoch > self.assignment_epoch:
            return ConsumerGroupState.ASSIGNING
        for member in self.members.values():
            if not member.is_reconciled_to(self.assignment_epoch):
                return ConsumerGroupState.RECONCILING
        return ConsumerGroupState.STABLE

    @property
    def state_name(self) -> str:
        """The state as responses contain it."""
        return self.state.value

    @property
    def is_empty(self) -> bool:
        """Whether it has no members."""
        return not self.members

    def preferred_assignor(self) -> str | None:
        """The assignor that most members prefer; None if no member names one.

        Among equals it is the first one in the order of the table in which Kafka counts them.
        """
        named = (member.server_assignor for member in self.members.values())
        votes = Counter(name for name in named if name is not None)
        return max(in_timeline_order(votes, string_hash), key=votes.__getitem__, default=None)

    # ------------------------------------------------------------------------------ members

    def member(self, member_id: str) -> ConsumerGroupMember:
        """Return the member; raises `ApiError` if there is none."""
        member = self.members.get(member_id)
        if member is None:
            raise ApiError(
                ErrorCode.UNKNOWN_MEMBER_ID,
                f"Member {member_id} is not a member of group {self.group_id}.",
            )
        return member

    def static_member(self, instance_id: str | None) -> ConsumerGroupMember | None:
        """Return the member with an instance id; None if there is none.

        Raises `ApiError` if the instance id is that of a member that has left.
        """
        member_id = self.static_members.get(instance_id or "")
        return None if member_id is None else self.member(member_id)

    def subscribed_topics(self, member: ConsumerGroupMember) -> frozenset[str]:
        """The topics that a member subscribes to, by name or by a regular expression."""
        regex = self.regexes.get(member.subscribed_topic_regex)
        if regex is None:
            return member.subscribed_topic_names
        return member.subscribed_topic_names | regex.topics

    def all_subscribed_topics(self) -> set[str]:
        """The topics that any member subscribes to."""
        return set().union(*map(self.subscribed_topics, self.members.values()))

    def subscribers_of_regex(self, regex: str) -> int:
        """The number of members that subscribe to a regular expression."""
        members = self.members.values()
        return sum(member.subscribed_topic_regex == regex for member in members)

    def subscribed_regexes(self) -> set[str]:
        """The regular expressions that members subscribe to."""
        return {each.subscribed_topic_regex for each in self.members.values()} - {""}

    @property
    def is_homogeneous(self) -> bool:
        """Whether all members subscribe to the same topics (Kafka's ``SubscriptionType``).

        With regular expressions only if all members have the same one and no topic names.
        """
        first, *others = self.members.values()
        if any(member.subscribed_topic_regex for member in self.members.values()):
            return not first.subscribed_topic_names and all(
                member.subscribed_topic_regex == first.subscribed_topic_regex
                and not member.subscribed_topic_names
                for member in others
            )
        names = first.subscribed_topic_names
        return all(member.subscribed_topic_names == names for member in others)

    def owners_of(self, topic_id: UUID) -> Mapping[int, str]:
        """The owner of each partition of a topic; partitions without an owner are absent."""
        return self.owners.get(topic_id, {})

    def is_free(self, topic_id: UUID, partition: int, member_id: str) -> bool:
        """Whether no other member owns a partition."""
        return self.owners_of(topic_id).get(partition, member_id) == member_id

    # ------------------------------------------------------------------------------ offsets

    def check_offset_commit(self, committer: Committer) -> CommitCheck | None:
        """Members commit with their epoch; simple consumers only while there are no members.

        A transactional commit may name no member. Its errors are those of classic groups.
        """
        epoch = committer.generation_id_or_member_epoch
        if epoch < 0 and not self.members:
            return None
        is_transactional = committer.is_transactional
        if is_transactional and committer.is_anonymous:
            return None
        member = self.member(committer.member_id)
        has_generation = member.uses_classic_protocol or is_transactional
        if not has_generation and committer.api_version < _MEMBER_EPOCHS_SINCE:
            raise ApiError(ErrorCode.UNSUPPORTED_VERSION)
        if epoch == member.member_epoch:
            return None
        stale = ErrorCode.ILLEGAL_GENERATION if has_generation else ErrorCode.STALE_MEMBER_EPOCH
        if epoch > member.member_epoch:
            raise ApiError(stale)

        def check(_topic: str, topic_id: UUID, partition: int) -> None:
            """A commit with an older epoch is valid for partitions owned since then (KIP-1251)."""
            for owned in (member.assigned, member.pending_revocation):
                since = owned.get(topic_id, {}).get(partition)
                if since is not None and epoch >= since:
                    return
            raise ApiError(stale)

        return check

    def check_offset_fetch(self, member_id: str | None, member_epoch: int) -> None:
        """A member must be known and send its epoch; other clients may fetch offsets, too."""
        if member_id is None:
            if member_epoch < 0:
                return
            raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)  # as in Kafka
        member = self.member(member_id)
        if member_epoch != member.member_epoch:
            classic = member.uses_classic_protocol
            raise ApiError(
                ErrorCode.ILLEGAL_GENERATION if classic else ErrorCode.STALE_MEMBER_EPOCH
            )

    def check_deletion(self) -> None:
        """Only a group without members can be deleted."""
        if self.members:
            raise ApiError(ErrorCode.NON_EMPTY_GROUP)

    def check_offset_deletion(self) -> None:
        """Always allowed: the subscriptions of all members are known."""

    def is_subscribed_to(self, topic: str) -> bool:
        """Whether any member subscribes to *topic*."""
        return any(topic in self.subscribed_topics(each) for each in self.members.values())

    def retention_base_ms(self, offset: OffsetAndMetadata) -> int | None:
        """The retention of a topic without subscribers begins with the commit."""
        return offset.commit_timestamp_ms

    # ------------------------------------------------------------------------------ changes

    def put(self, member: ConsumerGroupMember) -> None:
        """Add or replace a member.

        Raises `InconsistentRecord` if it owns a partition that another member owns.
        """
        before = self.members.get(member.member_id, _NO_MEMBER)
        self._change_owner(member.member_id, before, member)
        self.members[member.member_id] = member
        if member.instance_id is not None:
            self.static_members[member.instance_id] = member.member_id

    def remove(self, member_id: str) -> None:
        """Remove a member, and its instance id unless another member has it already."""
        member = self.members.pop(member_id, None)
        if member is not None:
            self._change_owner(member_id, member, _NO_MEMBER)
        instance_id = None if member is None else member.instance_id
        if instance_id is not None and self.static_members.get(instance_id) == member_id:
            del self.static_members[instance_id]

    def _change_owner(
        self, member_id: str, before: ConsumerGroupMember, after: ConsumerGroupMember
    ) -> None:
        """Update the owners of partitions. Inner tables are replaced, because copies share them."""
        if (before.assigned, before.pending_revocation) == (
            after.assigned,
            after.pending_revocation,
        ):
            return
        had, has = before.owned, after.owned
        for topic_id in had.keys() | has.keys():
            lost = had.get(topic_id, {}).keys() - has.get(topic_id, {}).keys()
            got = has.get(topic_id, {}).keys() - had.get(topic_id, {}).keys()
            if not (lost or got):
                continue
            owners = {**self.owners.get(topic_id, {})}
            for partition in lost:
                del owners[partition]
            for partition in got:
                if partition in owners:
                    raise InconsistentRecord(
                        f"partition {partition} of topic {topic_id} is assigned to {member_id}, "
                        f"but {owners[partition]} still owns it"
                    )
                owners[partition] = member_id
            self.owners[topic_id] = owners

    def tombstones(self) -> list[CoordinatorRecord]:
        """The records that delete the group with its members."""
        return list(self._tombstones())

    def _tombstones(self) -> Iterator[CoordinatorRecord]:
        group = {"group_id": self.group_id}
        for member_id in self.members:
            key = ConsumerGroupCurrentMemberAssignmentKey(**group, member_id=member_id)
            yield CoordinatorRecord(key)
        for member_id in self.target:
            yield CoordinatorRecord(
                ConsumerGroupTargetAssignmentMemberKey(**group, member_id=member_id)
            )
        yield CoordinatorRecord(ConsumerGroupTargetAssignmentMetadataKey(**group))
        for member_id in self.members:
            yield CoordinatorRecord(ConsumerGroupMemberMetadataKey(**group, member_id=member_id))
        for regex in self.regexes:
            yield CoordinatorRecord(
                ConsumerGroupRegularExpressionKey(**group, regular_expression=regex)
            )
        yield CoordinatorRecord(ConsumerGroupPartitionMetadataKey(**group))
        yield CoordinatorRecord(ConsumerGroupMetadataKey(**group))
