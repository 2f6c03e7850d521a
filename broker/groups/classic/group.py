"""The state of a classic group (Kafka's ``ClassicGroup``).

Members and their waiting requests, generation, leader, protocol and state. Transitions are decided
in `broker.groups.classic.rebalance`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from uuid import uuid4

from broker.common.errors import ApiError
from broker.coordinators.coordinator_record import CoordinatorRecord
from broker.groups.classic.group_state import (
    COMPLETING_REBALANCE,
    DEAD,
    EMPTY,
    PREPARING_REBALANCE,
    STABLE,
    TRANSITIONS,
    ClassicGroupState,
)
from broker.groups.classic.member import ClassicGroupMember, MemberKey
from broker.groups.classic.member_protocol import MemberProtocol
from broker.groups.classic.protocol_votes import SupportedProtocols
from broker.groups.classic.requests import (
    GroupMember,
    JoinCallback,
)
from broker.groups.epochs import next_epoch
from broker.groups.group import CLASSIC, CommitCheck, Committer
from broker.groups.offset_and_metadata import OffsetAndMetadata
from broker.groups.records.classic import GroupMetadataKey
from protocol.consumer_protocol import PROTOCOL_TYPE
from protocol.errors import ErrorCode


class GroupJoinKey(NamedTuple):
    """The key that the joins of a group wait on."""

    group_id: str
    phase: str = "join"


class GroupSyncKey(NamedTuple):
    """The key that the sync phase of a group waits on."""

    group_id: str
    phase: str = "sync"


class ClassicGroup:
    """A group; ``state_since_wall_ms`` is the time of its last transition."""

    group_type = CLASSIC

    def __init__(self, group_id: str, now_wall_ms: int) -> None:
        self.group_id = group_id
        self.join_key = GroupJoinKey(group_id)
        self.sync_key = GroupSyncKey(group_id)
        self.state = EMPTY
        self.previous_state = DEAD
        self.state_since_wall_ms = now_wall_ms
        self.generation_id = 0
        self.protocol_type: str | None = None
        self.protocol_name: str | None = None
        # The topics that the members of this generation subscribe to; None if unknown.
        self.subscribed_topics: frozenset[str] | None = None
        # Invariant: leader_id in members, or None when there are none.
        self.leader_id: str | None = None
        self.members: dict[str, ClassicGroupMember] = {}
        # Invariant: members[static_members[instance]].group_instance_id == instance, for each.
        self.static_members: dict[str, str] = {}
        # Member ids from MEMBER_ID_REQUIRED responses (KIP-394) that have not joined yet.
        # Invariant: pending_join_members and members have no id in common.
        self.pending_join_members: set[str] = set()
        # Members that have not sent their SyncGroup. The former id of a replaced static member
        # stays, as in Kafka: it cannot sync any more, so the generation ends at the sync timeout.
        self.pending_sync_members: set[str] = set()
        # Invariant: == number of members that have awaiting_join.
        self.awaiting_join_count = 0
        # Whether a member has joined during the initial delay, which extends the delay.
        self.new_member_added = False
        self._supported = SupportedProtocols()

    # -------------------------------------------------------------------------------- state

    def transition_to(self, state: ClassicGroupState, now_wall_ms: int) -> None:
        """Move to *state*; the transition must be valid."""
        assert state in TRANSITIONS[self.state], f"{self.group_id}: {self.state} -> {state}"
        self.previous_state, self.state = self.state, state
        self.state_since_wall_ms = now_wall_ms

    @property
    def state_name(self) -> str:
        """The state as responses contain it."""
        return self.state.value

    @property
    def is_empty(self) -> bool:
        """Whether it has no members."""
        return self.state is EMPTY

    @property
    def is_simple(self) -> bool:
        """Whether it holds only offsets and has never had members."""
        return self.state is EMPTY and self.protocol_type is None

    @property
    def uses_consumer_protocol(self) -> bool:
        """Whether its members are consumers, whose metadata the broker can parse."""
        return self.protocol_type == PROTOCOL_TYPE

    @property
    def can_rebalance(self) -> bool:
        """Whether a rebalance may begin now: none is being prepared, and the group is not Dead."""
        return PREPARING_REBALANCE in TRANSITIONS[self.state]

    def init_next_generation(self, now_wall_ms: int) -> None:
        """Begin a generation of the present members; without members the group becomes Empty."""
        self.generation_id = next_epoch(self.generation_id)
        self.pending_sync_members.clear()
        if self.members:
            self.protocol_name = self.select_protocol()
            self.transition_to(COMPLETING_REBALANCE, now_wall_ms)
        else:
            self.protocol_name = None
            self.transition_to(EMPTY, now_wall_ms)
        self.subscribed_topics = self._compute_subscribed_topics()

    def restore(self, protocol_name: str | None, state: ClassicGroupState) -> None:
        """Set the protocol and the state of a group that is loaded or converted."""
        self.protocol_name = protocol_name
        self.state = state
        self.subscribed_topics = self._compute_subscribed_topics()

    def _compute_subscribed_topics(self) -> frozenset[str] | None:
        if self.protocol_type != PROTOCOL_TYPE:
            return None
        topics = set[str]()
        for member in self.members.values():
            subscription = member.protocol(self.protocol_name).subscription
            if subscription is None:
                return None
            topics.update(subscription.topics)
        return frozenset(topics)

    # ------------------------------------------------------------------------------ members

    def add(self, member: ClassicGroupMember, on_response: JoinCallback | None) -> None:
        """Add a member; the first one leads and determines the protocol type."""
        if member.group_instance_id is not None:
            assert member.group_instance_id not in self.static_members
            self.static_members[member.group_instance_id] = member.member_id
        if not self.members:
            self.protocol_type = member.protocol_type
        assert self.protocol_type == member.protocol_type
        if self.leader_id is None:
            self.leader_id = member.member_id
        self.members[member.member_id] = member
        self._supported.add(member.protocol_names)
        self.pending_join_members.discard(member.member_id)
        self.set_awaiting_join(member, on_response)

    def remove(self, member_id: str) -> None:
        """Remove a member or a pending member id; if it led, another member leads."""
        member = self.members.pop(member_id, None)
        if member is not None:
            self._supported.remove(member.protocol_names)
            if member.awaiting_join is not None:
                self.awaiting_join_count -= 1
            if member.group_instance_id is not None:
                del self.static_members[member.group_instance_id]
        if member_id == self.leader_id:
            self.leader_id = next(iter(self.members), None)
        self.pending_join_members.discard(member_id)
        self.pending_sync_members.discard(member_id)

    def update(
        self,
        member: ClassicGroupMember,
        protocols: tuple[MemberProtocol, ...],
        protocol_names: frozenset[str],
        rebalance_timeout_ms: int,
        session_timeout_ms: int,
        on_response: JoinCallback | None,
    ) -> None:
        """Update a member that joins again; *protocol_names* are the names of *protocols*."""
        self._supported.remove(member.protocol_names)
        self._supported.add(protocol_names)
        member.protocols, member.protocol_names = protocols, protocol_names
        member.rebalance_timeout_ms = rebalance_timeout_ms
        member.session_timeout_ms = session_timeout_ms
        self.set_awaiting_join(member, on_response)

    def replace_static_member(self, old: ClassicGroupMember, member_id: str) -> ClassicGroupMember:
        """Replace a static member by the same instance with another member id.

        The assignment, and the leadership if it led, stay with the instance.
        """
        assert old.group_instance_id is not None
        assert old.awaiting_join is None
        member = ClassicGroupMember(
            MemberKey(self.group_id, member_id),
            group_instance_id=old.group_instance_id,
            client_id=old.client_id,
            client_host=old.client_host,
            rebalance_timeout_ms=old.rebalance_timeout_ms,
            session_timeout_ms=old.session_timeout_ms,
            protocol_type=old.protocol_type,
            protocols=old.protocols,
            protocol_names=old.protocol_names,
            assignment=old.assignment,
        )
        del self.members[old.member_id]
        self.members[member_id] = member
        self.static_members[old.group_instance_id] = member_id
        if self.leader_id == old.member_id:
            self.leader_id = member_id
        return member

    def check_member(self, member_id: str, group_instance_id: str | None) -> ClassicGroupMember:
        """Return the member; raises `ApiError` if it is fenced (KIP-345) or unknown."""
        if group_instance_id is not None:
            current = self.static_members.get(group_instance_id)
            if current is not None and current != member_id:
                raise ApiError(ErrorCode.FENCED_INSTANCE_ID)
            if current is None:
                raise ApiError(ErrorCode.UNKNOWN_MEMBER_ID)
        member = self.members.get(member_id)
        if member is None:
            raise ApiError(ErrorCode.UNKNOWN_MEMBER_ID)
        return member

    def current_members(self) -> Sequence[GroupMember]:
        """The members as the leader's JoinGroup response lists them."""
        assert self.state in (COMPLETING_REBALANCE, STABLE)
        return [
            GroupMember(
                member.member_id, member.group_instance_id, member.metadata(self.protocol_name)
            )
            for member in self.members.values()
        ]

    @property
    def rebalance_timeout_ms(self) -> int:
        """The maximum of the members' rebalance timeouts."""
        return max((member.rebalance_timeout_ms for member in self.members.values()), default=0)

    # ------------------------------------------------------------------------------ waiting

    def set_awaiting_join(
        self, member: ClassicGroupMember, on_response: JoinCallback | None
    ) -> None:
        """Let a member wait for the next generation; None ends the wait."""
        was, now = member.awaiting_join is not None, on_response is not None
        self.awaiting_join_count += now - was
        member.awaiting_join = on_response
        assert 0 <= self.awaiting_join_count <= len(self.members)

    def take_join(self, member: ClassicGroupMember) -> JoinCallback | None:
        """End the wait of a member for the next generation; returns its callback."""
        on_response = member.awaiting_join
        self.set_awaiting_join(member, None)
        return on_response

    @property
    def has_all_members_joined(self) -> bool:
        """Whether all members wait for the next generation and no member id is pending."""
        return len(self.members) == self.awaiting_join_count and not self.pending_join_members

    @property
    def has_received_sync_from_all_members(self) -> bool:
        """Whether all members of this generation have sent their SyncGroup."""
        return not self.pending_sync_members

    def maybe_elect_new_joined_leader(self) -> bool:
        """Ensure that the leader has joined; returns False if no member has."""
        if self.leader_id is None:
            return False
        if self.members[self.leader_id].awaiting_join is not None:
            return True
        for member in self.members.values():
            if member.awaiting_join is not None:
                self.leader_id = member.member_id
                return True
        return False

    # ------------------------------------------------------------------------------ offsets

    def check_offset_commit(self, committer: Committer) -> CommitCheck | None:
        """Members commit with their generation; simple consumers only while the group is Empty.

        A transactional commit may name no member, and is accepted during a rebalance.
        """
        if self.state is DEAD:
            raise ApiError(ErrorCode.COORDINATOR_NOT_AVAILABLE)
        generation_id = committer.generation_id_or_member_epoch
        if generation_id < 0 and self.state is EMPTY:
            return None
        member_id, instance_id = committer.member_id, committer.group_instance_id
        if generation_id >= 0 or member_id or instance_id is not None:
            self.check_member(member_id, instance_id)
            if generation_id != self.generation_id:
                raise ApiError(ErrorCode.ILLEGAL_GENERATION)
        elif self.state is not EMPTY and not committer.is_transactional:
            raise ApiError(ErrorCode.UNKNOWN_MEMBER_ID)
        if self.state is COMPLETING_REBALANCE and not committer.is_transactional:
            # The generation is the present one, but its assignment is not known yet.
            raise ApiError(ErrorCode.REBALANCE_IN_PROGRESS)
        return None

    def check_offset_fetch(self, member_id: str | None, member_epoch: int) -> None:  # noqa: ARG002 - only consumer groups check the member
        """All members and clients may fetch offsets."""
        if self.state is DEAD:
            raise ApiError(ErrorCode.GROUP_ID_NOT_FOUND)

    def check_deletion(self) -> None:
        """Only an Empty group can be deleted."""
        if self.state is DEAD:
            raise ApiError(ErrorCode.GROUP_ID_NOT_FOUND)
        if self.state is not EMPTY:
            raise ApiError(ErrorCode.NON_EMPTY_GROUP)

    def check_offset_deletion(self) -> None:
        """Offsets of a group with members can be deleted if their subscriptions are known."""
        if self.state is DEAD:
            raise ApiError(ErrorCode.GROUP_ID_NOT_FOUND)
        if self.state is not EMPTY and not self.uses_consumer_protocol:
            raise ApiError(ErrorCode.NON_EMPTY_GROUP)

    def is_subscribed_to(self, topic: str) -> bool:
        """Whether its members subscribe to *topic*; consumers with unknown topics may."""
        if self.subscribed_topics is None:
            return self.uses_consumer_protocol
        return topic in self.subscribed_topics

    def retention_base_ms(self, offset: OffsetAndMetadata) -> int | None:
        """Since the last member left (Empty), or since the commit (Stable, simple consumers)."""
        if self.protocol_type is None:
            return offset.commit_timestamp_ms
        if self.state is EMPTY:
            return self.state_since_wall_ms
        if self.state is STABLE and self.subscribed_topics is not None:
            return offset.commit_timestamp_ms
        return None

    # ------------------------------------------------------------------------------ records

    def tombstones(self) -> list[CoordinatorRecord]:
        """The records that delete the group."""
        return [CoordinatorRecord(GroupMetadataKey(group=self.group_id))]

    # ---------------------------------------------------------------------------- protocols

    def supports_protocols(self, protocol_type: str, names: frozenset[str]) -> bool:
        """Whether a member with protocols of these names can join."""
        if self.state is EMPTY:
            return bool(protocol_type) and bool(names)
        return self.protocol_type == protocol_type and self._supported.all_support_any(names)

    def select_protocol(self) -> str:
        """The protocol that a generation of the present members would use."""
        return self._supported.select(self.members.values())


def generate_member_id(client_id: str, group_instance_id: str | None) -> str:
    """Return a new member id: the instance id or client id, a dash, and a UUID."""
    return f"{client_id if group_instance_id is None else group_instance_id}-{uuid4()}"
