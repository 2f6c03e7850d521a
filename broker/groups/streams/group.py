"""The state of a streams group: members, topology, target assignment and epochs (``StreamsGroup``).

All of it is the result of the replay of records, except what says so.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from broker.common.errors import ApiError
from broker.coordinators.coordinator_record import CoordinatorRecord
from broker.groups.group import STREAMS, CommitCheck, Committer
from broker.groups.offset_and_metadata import OffsetAndMetadata
from broker.groups.records.streams import (
    StreamsGroupCurrentMemberAssignmentKey,
    StreamsGroupMemberMetadataKey,
    StreamsGroupMetadataKey,
    StreamsGroupTargetAssignmentMemberKey,
    StreamsGroupTargetAssignmentMetadataKey,
    StreamsGroupTopologyKey,
)
from broker.groups.streams.commit_check import assignment_check
from broker.groups.streams.member import StreamsGroupMember
from broker.groups.streams.task_owners import TaskOwners
from broker.groups.streams.tasks import Tasks
from broker.groups.streams.topics.configured import ConfiguredTopology
from broker.groups.streams.topology import StreamsTopology
from protocol.errors import ErrorCode

# The epochs of a new group: an empty target assignment counts as computed.
INITIAL_EPOCH: Final = 1
# The first version of OffsetCommit in which the generation is a member epoch.
_MEMBER_EPOCHS_SINCE: Final = 9
_NO_CONFIGS: Final[Mapping[str, str]] = MappingProxyType({})


class StreamsGroupState(StrEnum):
    """The values are the names in responses."""

    EMPTY = "Empty"
    NOT_READY = "NotReady"  # its topics are missing, or have wrong partition counts
    ASSIGNING = "Assigning"
    RECONCILING = "Reconciling"
    STABLE = "Stable"


class StreamsGroup:
    """A streams group. Its tables are replaced by drafts; the values in them are immutable.

    ``configured``, ``topics_version``, ``endpoint_information_epoch`` and ``shutdown_member_id``
    are not in records: they are those of the coordinator that has computed them.
    """

    group_type = STREAMS
    protocol_type = "streams"

    def __init__(self, group_id: str) -> None:
        self.group_id = group_id
        self.epoch = INITIAL_EPOCH
        self.metadata_hash = 0
        # The epoch of the topology whose topics exist; -1 if some are missing or wrong.
        self.validated_topology_epoch = 0
        # The settings that the target assignment depends on, with those of the last group epoch.
        self.assignment_configs = _NO_CONFIGS
        self.assignment_epoch = INITIAL_EPOCH
        self.assignment_timestamp_ms = 0
        self.topology: StreamsTopology | None = None
        self.members: dict[str, StreamsGroupMember] = {}
        # Invariant: the tasks that members have or have not revoked yet, by replay.
        self.owners = TaskOwners()
        self.target: dict[str, Tasks] = {}
        self.is_deleted = False
        self.configured: ConfiguredTopology | None = None
        # The version of the cluster's topics that ``configured`` was compared with.
        self.topics_version = -1
        self.endpoint_information_epoch = 0
        # The member that has requested that all applications of the group shut down.
        self.shutdown_member_id: str | None = None

    def copy(self) -> StreamsGroup:
        """A copy that can be changed without this group."""
        other = copy.copy(self)
        other.members, other.target = self.members.copy(), self.target.copy()
        other.owners = self.owners.copy()
        return other

    def forget_unrecorded(self) -> None:
        """Forget what is not in records."""
        self.configured, self.topics_version = None, -1
        self.endpoint_information_epoch, self.shutdown_member_id = 0, None

    # -------------------------------------------------------------------------------- state

    @property
    def state(self) -> StreamsGroupState:
        """The state, derived from the members and the epochs."""
        if not self.members:
            return StreamsGroupState.EMPTY
        if self.topology is None or self.topology.epoch != self.validated_topology_epoch:
            return StreamsGroupState.NOT_READY
        if self.epoch > self.assignment_epoch:
            return StreamsGroupState.ASSIGNING
        if all(each.is_reconciled_to(self.assignment_epoch) for each in self.members.values()):
            return StreamsGroupState.STABLE
        return StreamsGroupState.RECONCILING

    @property
    def state_name(self) -> str:
        """The state as responses contain it."""
        return self.state.value

    @property
    def is_empty(self) -> bool:
        """Whether it has no members."""
        return not self.members

    def member(self, member_id: str) -> StreamsGroupMember:
        """Return the member; raises `ApiError` if there is none."""
        member = self.members.get(member_id)
        if member is None:
            raise ApiError(
                ErrorCode.UNKNOWN_MEMBER_ID,
                f"Member {member_id} is not a member of group {self.group_id}.",
            )
        return member

    # ------------------------------------------------------------------------------ offsets

    def check_offset_commit(self, committer: Committer) -> CommitCheck | None:
        """Members commit with their epoch; simple consumers only while there are no members.

        A transactional commit may name no member. Its errors are those of classic groups.
        """
        epoch = committer.generation_id_or_member_epoch
        if epoch < 0 and not self.members:
            return None
        if committer.is_transactional and committer.is_anonymous:
            return None
        member = self.member(committer.member_id)
        if not committer.is_transactional and committer.api_version < _MEMBER_EPOCHS_SINCE:
            raise ApiError(ErrorCode.UNSUPPORTED_VERSION)
        if epoch == member.member_epoch:
            return None
        stale = (
            ErrorCode.ILLEGAL_GENERATION
            if committer.is_transactional
            else ErrorCode.STALE_MEMBER_EPOCH
        )
        if epoch > member.member_epoch or self.topology is None:
            raise ApiError(stale)
        return assignment_check(self.topology, member.current, epoch, stale)

    def check_offset_fetch(self, member_id: str | None, member_epoch: int) -> None:
        """A member must be known and send its epoch; other clients may fetch offsets, too."""
        if member_id is None:
            if member_epoch < 0:
                return
            raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)  # as in Kafka
        if member_epoch != self.member(member_id).member_epoch:
            raise ApiError(ErrorCode.STALE_MEMBER_EPOCH)

    def check_offset_deletion(self) -> None:
        """Always allowed: the topics of the topology are known."""

    def check_deletion(self) -> None:
        """Only a group without members can be deleted."""
        if self.members:
            raise ApiError(ErrorCode.NON_EMPTY_GROUP)

    def is_subscribed_to(self, topic: str) -> bool:
        """Whether the topology of the members reads *topic*."""
        topology = self.topology
        return topology is not None and bool(self.members) and topic in topology.by_source_topic

    def retention_base_ms(self, offset: OffsetAndMetadata) -> int | None:
        """The retention of a topic that no member reads begins with the commit."""
        return offset.commit_timestamp_ms

    # ------------------------------------------------------------------------------ changes

    def put(self, member: StreamsGroupMember) -> None:
        """Add or replace a member."""
        self._release(self.members.get(member.member_id))
        self.members[member.member_id] = member
        current, process_id = member.current, member.process_id
        self.owners.add(current.assigned, process_id)
        self.owners.add(current.pending_revocation, process_id)

    def remove(self, member_id: str) -> None:
        """Remove a member; a requested shutdown ends with the last one."""
        self._release(self.members.pop(member_id, None))
        if not self.members:
            self.shutdown_member_id = None

    def _release(self, member: StreamsGroupMember | None) -> None:
        if member is not None:
            self.owners.remove(member.current.assigned, member.process_id)
            self.owners.remove(member.current.pending_revocation, member.process_id)

    def tombstones(self) -> list[CoordinatorRecord]:
        """The records that delete the group with its members."""
        group = {"group_id": self.group_id}
        keys: list[Any] = [
            StreamsGroupCurrentMemberAssignmentKey(**group, member_id=each) for each in self.members
        ]
        keys += [
            StreamsGroupTargetAssignmentMemberKey(**group, member_id=each) for each in self.target
        ]
        keys.append(StreamsGroupTargetAssignmentMetadataKey(**group))
        keys += [StreamsGroupMemberMetadataKey(**group, member_id=each) for each in self.members]
        keys += [StreamsGroupMetadataKey(**group), StreamsGroupTopologyKey(**group)]
        return [CoordinatorRecord(key) for key in keys]
