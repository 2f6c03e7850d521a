"""Converts classic groups into consumer groups and back, while their members continue (KIP-848).

A classic group is upgraded when its first member of the consumer protocol joins, a consumer group
is downgraded when its last one leaves; ``group.consumer.migration.policy`` may disable either. A
group without members is always converted.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import Protocol
from uuid import UUID

from broker.common.errors import ApiError
from broker.coordinators.coordinator_record import InconsistentRecord
from broker.groups.classic.group import ClassicGroup
from broker.groups.classic.group_metadata_record import group_metadata_record
from broker.groups.classic.group_state import STABLE
from broker.groups.classic.member import ClassicGroupMember, MemberKey
from broker.groups.classic.member_protocol import MemberProtocol
from broker.groups.consumer.draft import GroupDraft
from broker.groups.consumer.group import ConsumerGroup
from broker.groups.consumer.member import ConsumerGroupMember, OwnedPartitions, Partitions
from broker.groups.group_parts import GroupParts
from broker.groups.metadata_image import CoordinatorMetadataImage
from broker.groups.records.consumer import ClassicMemberMetadata, ClassicProtocol
from protocol.codec import Malformed
from protocol.consumer_protocol import (
    PROTOCOL_TYPE,
    parse_assignment,
    version_of,
    write_assignment,
)
from protocol.errors import ErrorCode

_UPGRADING = ("bidirectional", "upgrade")
_DOWNGRADING = ("bidirectional", "downgrade")


class ClassicGroups(Protocol):
    """The coordinator of classic groups."""

    def retire(self, group: ClassicGroup, refusal: ErrorCode) -> None:
        """End a group that was converted; waiting requests get *refusal*."""
        ...

    def refuse_waiting(self, group: ClassicGroup, refusal: ErrorCode) -> None:
        """Respond to all waiting joins and syncs with *refusal*; the group is unchanged."""
        ...

    def start(self, group: ClassicGroup, rebalance_because: str | None) -> None:
        """Begin the sessions of a converted group; rebalance it if a reason is given."""
        ...


class Migration:
    """Converts groups of one protocol into groups of the other."""

    def __init__(self, parts: GroupParts, classic: ClassicGroups) -> None:
        config = parts.config
        policy = config.group_consumer_migration_policy
        self._upgrades = policy in _UPGRADING
        self._downgrades = policy in _DOWNGRADING
        self.is_disabled = not (self._upgrades or self._downgrades)
        self._consumer_size_max = config.group_consumer_max_size
        self._classic_size_max = config.group_max_size
        self._clock = parts.clock
        self._runtime = parts.runtime
        self._states = parts.states
        self._topics = parts.topics
        self._classic = classic

    # ------------------------------------------------------------------------------ upgrade

    def upgraded(self, group: ClassicGroup) -> GroupDraft:
        """Return a draft of *group* as a consumer group; raises `ApiError`."""
        draft = GroupDraft(ConsumerGroup(group.group_id), before=group.tombstones())
        if group.is_empty:
            return draft
        self._check_upgrade(group)
        try:
            return self._converted(group, draft)
        except ApiError:
            # Kafka responds to waiting requests before it converts the group.
            self._classic.refuse_waiting(group, ErrorCode.REBALANCE_IN_PROGRESS)
            raise

    def _converted(self, group: ClassicGroup, draft: GroupDraft) -> GroupDraft:
        """Fill *draft* with the members of *group*; raises `ApiError`."""
        try:
            members = [self._to_consumer_member(group, each) for each in group.members.values()]
        except Malformed:
            raise _refused(group, "because the embedded consumer protocol is malformed.") from None
        for member in members:
            draft.write_metadata(member)
        names = {name for member in members for name in member.subscribed_topic_names}
        draft.write_epoch(group.generation_id, self._topics.hash_of(names))
        for member in members:
            target = {topic_id: frozenset(parts) for topic_id, parts in member.assigned.items()}
            draft.write_target(member.member_id, target)
        draft.write_assignment_epoch(group.generation_id, 0)
        try:
            for member in members:
                draft.write_assignment(member)
        except InconsistentRecord:
            # The leader has assigned a partition to two members; Kafka fails in the same way.
            raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR) from None
        return draft

    def retired(self, group: ClassicGroup) -> None:
        """End the classic group after its conversion; waiting members have to join again."""
        self._classic.retire(group, ErrorCode.REBALANCE_IN_PROGRESS)

    def _check_upgrade(self, group: ClassicGroup) -> None:
        if not self._upgrades:
            raise _refused(group, "because online upgrade is disabled.")
        if not group.uses_consumer_protocol:
            raise _refused(group, "because the group does not use the consumer embedded protocol.")
        if len(group.members) > self._consumer_size_max:
            raise _refused(group, "because the group size exceeds the consumer group maximum size.")

    def _to_consumer_member(
        self, group: ClassicGroup, member: ClassicGroupMember
    ) -> ConsumerGroupMember:
        protocol_name = group.protocol_name or group.select_protocol()
        if all(protocol.name != protocol_name for protocol in member.protocols):
            # The member has joined a rebalance that will change the protocol; Kafka fails, too.
            raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)
        subscription = member.protocol(protocol_name).subscription
        if subscription is None:
            raise Malformed("a subscription")
        assignment = parse_assignment(member.assignment)
        if assignment.user_data:
            raise _refused(
                group,
                "because an unsupported custom assignor is in use. Please refer to the "
                "documentation or switch to a default assignor before re-attempting the upgrade.",
            )
        assigned: dict[UUID, dict[int, int]] = {}
        for each in assignment.assigned_partitions:
            topic_id = self._topics.id_of(each.topic)
            if topic_id is not None:
                assigned[topic_id] = dict.fromkeys(each.partitions, group.generation_id)
        return ConsumerGroupMember(
            member_id=member.member_id,
            instance_id=member.group_instance_id,
            rack_id=subscription.rack_id or None,
            client_id=member.client_id,
            client_host=member.client_host,
            rebalance_timeout_ms=member.rebalance_timeout_ms,
            subscribed_topic_names=frozenset(subscription.topics),
            classic=classic_metadata(member.session_timeout_ms, member.protocols),
            member_epoch=group.generation_id,
            previous_member_epoch=group.generation_id,
            assigned=assigned,
        )

    # ---------------------------------------------------------------------------- downgrade

    def may_downgrade(self, group: ConsumerGroup, leaving: AbstractSet[str]) -> bool:
        """Whether the group can become a classic one when *leaving* leave."""
        size = len(group.members) - len(leaving)
        return size > 0 and self._can_be_classic(group, leaving, size)

    def may_downgrade_by_replacing(self, group: ConsumerGroup, member: ConsumerGroupMember) -> bool:
        """Whether the group can become a classic one when a classic member replaces *member*."""
        return not member.uses_classic_protocol and self._can_be_classic(
            group, {member.member_id}, len(group.members)
        )

    def _can_be_classic(self, group: ConsumerGroup, without: AbstractSet[str], size: int) -> bool:
        others = (each for name, each in group.members.items() if name not in without)
        return (
            all(member.uses_classic_protocol for member in others)
            and self._downgrades
            and size <= self._classic_size_max
        )

    def downgrade(
        self, draft: GroupDraft, leaving: AbstractSet[str], rebalance_because: str | None
    ) -> ClassicGroup:
        """Replace the drafted group by a classic one without *leaving*; raises `ApiError`."""
        staying = [each for name, each in draft.group.members.items() if name not in leaving]
        group = self._to_classic_group(draft.group, staying)
        generation = group_metadata_record(
            group, {each.member_id: each.assignment for each in group.members.values()}
        )
        records = [*draft.records, *draft.group.tombstones(), generation]
        self._runtime.append(group.group_id, records)
        self._states.put(group)
        self._classic.start(group, rebalance_because)
        return group

    def _to_classic_group(
        self, group: ConsumerGroup, members: Iterable[ConsumerGroupMember]
    ) -> ClassicGroup:
        classic = ClassicGroup(group.group_id, self._clock.wall_ms())
        classic.generation_id = group.epoch
        for member in members:
            assert member.classic is not None
            protocols = tuple(
                MemberProtocol(each.name, bytes(each.metadata))
                for each in member.classic.supported_protocols
            )
            classic.add(
                ClassicGroupMember(
                    MemberKey(group.group_id, member.member_id),
                    group_instance_id=member.instance_id,
                    client_id=member.client_id,
                    client_host=member.client_host,
                    rebalance_timeout_ms=member.rebalance_timeout_ms,
                    session_timeout_ms=member.classic.session_timeout_ms,
                    protocol_type=PROTOCOL_TYPE,
                    protocols=protocols,
                ),
                None,
            )
        classic.restore(classic.select_protocol(), STABLE)
        for each in classic.members.values():
            target = group.target.get(each.member_id, {})
            version = version_of(each.metadata(classic.protocol_name))
            each.assignment = assignment_bytes(target, self._topics, version)
        return classic


def classic_metadata(
    session_timeout_ms: int, protocols: Iterable[MemberProtocol]
) -> ClassicMemberMetadata:
    """The metadata of a classic member in its record."""
    return ClassicMemberMetadata(
        session_timeout_ms=session_timeout_ms,
        supported_protocols=[
            ClassicProtocol(name=each.name, metadata=each.metadata) for each in protocols
        ],
    )


def assignment_bytes(
    assigned: OwnedPartitions | Partitions, topics: CoordinatorMetadataImage, version: int
) -> bytes:
    """An assignment in the format of the classic consumer protocol."""
    named = {
        name: sorted(partitions)
        for topic_id, partitions in assigned.items()
        if (name := topics.name_of(topic_id)) is not None
    }
    return write_assignment(named, version)


def _refused(group: ClassicGroup, why: str) -> ApiError:
    return ApiError(
        ErrorCode.GROUP_ID_NOT_FOUND,
        f"Cannot upgrade classic group {group.group_id} to consumer group {why}",
    )
