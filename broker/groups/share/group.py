"""The state of a share group: the result of the replay of its records (Kafka's ``ShareGroup``)."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

from broker.common.errors import ApiError
from broker.coordinators.coordinator_record import CoordinatorRecord, InconsistentRecord
from broker.groups.group import SHARE, CommitCheck, Committer
from broker.groups.offset_and_metadata import OffsetAndMetadata
from broker.groups.records.share import (
    ShareGroupCurrentMemberAssignmentKey,
    ShareGroupMemberMetadataKey,
    ShareGroupMetadataKey,
    ShareGroupStatePartitionMetadataKey,
    ShareGroupTargetAssignmentMemberKey,
    ShareGroupTargetAssignmentMetadataKey,
)
from broker.groups.share.member import Partitions, ShareGroupMember, read_partitions
from broker.groups.share.state_partitions import StatePartitions
from protocol.errors import ErrorCode

# The epochs of a new group, before any record.
INITIAL_EPOCH = 1


class ShareGroup:
    """A share group. Its tables are replaced by drafts; the values in them are immutable.

    ``initializing_ms`` is the wall time at which the initialization of partitions began.
    """

    group_type = SHARE
    protocol_type = "share"

    def __init__(self, group_id: str) -> None:
        self.group_id = group_id
        self.epoch = INITIAL_EPOCH
        self.metadata_hash = 0
        self.assignment_epoch = INITIAL_EPOCH
        self.assignment_timestamp_ms = 0
        self.members: dict[str, ShareGroupMember] = {}
        self.target: dict[str, Partitions] = {}
        self.state_partitions = StatePartitions()
        self.initializing_ms = 0
        self.is_deleted = False
        # Invariant: what `subscribed_topics` returns, unless the names of members have changed.
        self._subscribed: frozenset[str] | None = None

    def copy(self) -> ShareGroup:
        """A copy that can be changed without this group."""
        other = copy.copy(self)
        other.members, other.target = self.members.copy(), self.target.copy()
        return other

    @property
    def state_name(self) -> str:
        """The state as responses contain it."""
        return "Stable" if self.members else "Empty"

    @property
    def is_empty(self) -> bool:
        """Whether it has no members."""
        return not self.members

    def member(self, member_id: str) -> ShareGroupMember:
        """Return the member; raises `ApiError` if there is none."""
        member = self.members.get(member_id)
        if member is None:
            raise ApiError(
                ErrorCode.UNKNOWN_MEMBER_ID,
                f"Member {member_id} is not a member of group {self.group_id}.",
            )
        return member

    def subscribed_topics(self) -> frozenset[str]:
        """The topics that any member subscribes to."""
        if self._subscribed is None:
            names = (each.subscribed_topic_names for each in self.members.values())
            self._subscribed = frozenset[str]().union(*names)
        return self._subscribed

    # ------------------------------------------------------------------------------ offsets

    def check_offset_commit(self, _committer: Committer) -> CommitCheck | None:
        """A share group has no committed offsets."""
        raise ApiError(ErrorCode.GROUP_ID_NOT_FOUND)

    def check_offset_fetch(self, _member_id: str | None, _member_epoch: int) -> None:
        """A share group has no committed offsets, which is not an error."""

    def check_offset_deletion(self) -> None:
        """A share group has no committed offsets."""
        raise ApiError(ErrorCode.GROUP_ID_NOT_FOUND)

    def check_deletion(self) -> None:
        """Only a group without members may be deleted."""
        if self.members:
            raise ApiError(ErrorCode.NON_EMPTY_GROUP)

    def is_subscribed_to(self, topic: str) -> bool:
        """Whether a member subscribes to *topic*."""
        return topic in self.subscribed_topics()

    def retention_base_ms(self, _offset: OffsetAndMetadata) -> int | None:
        """None: a share group has no offsets that could expire."""
        return None

    # ------------------------------------------------------------------------------ records

    def replay(self, record: CoordinatorRecord) -> None:
        """Apply a record; raises `InconsistentRecord`."""
        key, value = record.key, record.value
        match key:
            case ShareGroupMetadataKey():
                self._replay_epoch(value)
            case ShareGroupStatePartitionMetadataKey():
                self.state_partitions = (
                    StatePartitions() if value is None else StatePartitions.of_record(value)
                )
            case ShareGroupTargetAssignmentMetadataKey():
                if value is not None:
                    self.assignment_epoch = value.assignment_epoch
                    self.assignment_timestamp_ms = value.assignment_timestamp
            case ShareGroupTargetAssignmentMemberKey():
                self.target.pop(key.member_id, None)
                if value is not None:
                    self.target[key.member_id] = read_partitions(value.topic_partitions)
            case _:
                self._replay_member(key, value)

    def _replay_epoch(self, value: Any) -> None:
        if value is None:
            if self.members:
                raise InconsistentRecord(f"group {self.group_id} is deleted, but has members")
            self.is_deleted = True
        else:
            self.epoch, self.metadata_hash = value.epoch, value.metadata_hash

    def _replay_member(self, key: Any, value: Any) -> None:
        member = self.members.get(key.member_id) or ShareGroupMember(member_id=key.member_id)
        if isinstance(key, ShareGroupMemberMetadataKey):
            self._subscribed = None
            if value is None:
                self.members.pop(key.member_id, None)
            else:
                self.members[key.member_id] = member.with_metadata(value)
        elif value is not None:
            self.members[key.member_id] = member.with_assignment(value)
        elif key.member_id in self.members:
            self.members[key.member_id] = replace(
                member, member_epoch=-1, previous_member_epoch=-1, assigned={}
            )

    def tombstones(self) -> list[CoordinatorRecord]:
        """The records that delete the group with its members."""
        group = {"group_id": self.group_id}
        keys: list[Any] = [
            ShareGroupCurrentMemberAssignmentKey(**group, member_id=each) for each in self.members
        ]
        keys += [
            ShareGroupTargetAssignmentMemberKey(**group, member_id=each) for each in self.target
        ]
        keys.append(ShareGroupTargetAssignmentMetadataKey(**group))
        keys += [ShareGroupMemberMetadataKey(**group, member_id=each) for each in self.members]
        keys += [ShareGroupStatePartitionMetadataKey(**group), ShareGroupMetadataKey(**group)]
        return [CoordinatorRecord(key) for key in keys]
