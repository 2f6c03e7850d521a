"""The records of one request or timeout, and the streams group that results from them.

They are appended in one batch; if the log refuses them, the draft is dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from broker.coordinators.coordinator_record import CoordinatorRecord
from broker.groups.draft_records import DraftRecords
from broker.groups.records.streams import (
    LastAssignmentConfig,
    StreamsGroupCurrentMemberAssignmentKey,
    StreamsGroupMemberMetadataKey,
    StreamsGroupMetadataKey,
    StreamsGroupMetadataValue,
    StreamsGroupTargetAssignmentMemberKey,
    StreamsGroupTargetAssignmentMetadataKey,
    StreamsGroupTargetAssignmentMetadataValue,
    StreamsGroupTopologyKey,
)
from broker.groups.streams.assignment_record import current_value, target_value
from broker.groups.streams.group import StreamsGroup
from broker.groups.streams.member import StreamsGroupMember
from broker.groups.streams.replay import replay
from broker.groups.streams.tasks import Tasks
from broker.groups.streams.topics.configured import ConfiguredTopology
from broker.groups.streams.topology import StreamsTopology
from broker.groups.streams.topology_record import topology_value


class StreamsDraft(DraftRecords):
    """The records of a request; ``group`` is the group after their replay, ``before`` before it.

    *tombstones* precede them: those of a classic group that it replaces.
    """

    def __init__(self, group: StreamsGroup, tombstones: Iterable[CoordinatorRecord] = ()) -> None:
        super().__init__(tombstones)
        self.before = group
        self.group = group.copy()
        self.group_id = group.group_id
        # Whether the group has changed in what is not in records.
        self.is_touched = False

    def configure(self, configured: ConfiguredTopology, topics_version: int) -> None:
        """Keep the configured topology, which was compared with the topics of a version."""
        self.is_touched = True
        self.group.configured, self.group.topics_version = configured, topics_version

    def change_endpoints(self) -> None:
        """Let all members get the endpoints with their partitions."""
        self.is_touched = True
        self.group.endpoint_information_epoch += 1

    def request_shutdown(self, member_id: str) -> None:
        """Keep that a member has requested the shutdown of the application."""
        if self.group.shutdown_member_id is None:
            self.is_touched = True
            self.group.shutdown_member_id = member_id

    def without_records(self, group: StreamsGroup) -> StreamsDraft:
        """The changes for the other members that are not in records, as a draft of *group*."""
        draft = StreamsDraft(group)
        draft.is_touched = True
        draft.group.endpoint_information_epoch = self.group.endpoint_information_epoch
        draft.group.shutdown_member_id = self.group.shutdown_member_id
        return draft

    def _write(self, record: CoordinatorRecord) -> None:
        self.records.append(record)
        replay(self.group, record)

    def write_metadata(self, member: StreamsGroupMember) -> None:
        """Write the metadata of a new or changed member."""
        key = StreamsGroupMemberMetadataKey(group_id=self.group_id, member_id=member.member_id)
        self._write(CoordinatorRecord(key, member.metadata_value()))

    def write_topology(self, topology: StreamsTopology) -> None:
        """Write the topology."""
        key = StreamsGroupTopologyKey(group_id=self.group_id)
        self._write(CoordinatorRecord(key, topology_value(topology)))

    def write_epoch(
        self,
        epoch: int,
        metadata_hash: int,
        validated_topology_epoch: int,
        assignment_configs: Mapping[str, str],
    ) -> None:
        """Write a new group epoch, which requires a new target assignment."""
        value = StreamsGroupMetadataValue(
            epoch=epoch,
            metadata_hash=metadata_hash,
            validated_topology_epoch=validated_topology_epoch,
            last_assignment_configs=[
                LastAssignmentConfig(key=key, value=assignment_configs[key])
                for key in sorted(assignment_configs)
            ],
        )
        self._write(CoordinatorRecord(StreamsGroupMetadataKey(group_id=self.group_id), value))

    def write_target(self, member_id: str, target: Tasks) -> None:
        """Write the target assignment of a member."""
        key = StreamsGroupTargetAssignmentMemberKey(group_id=self.group_id, member_id=member_id)
        self._write(CoordinatorRecord(key, target_value(target)))

    def write_assignment_epoch(self, epoch: int, timestamp_ms: int) -> None:
        """Write the epoch and the time of a new target assignment."""
        key = StreamsGroupTargetAssignmentMetadataKey(group_id=self.group_id)
        value = StreamsGroupTargetAssignmentMetadataValue(
            assignment_epoch=epoch, assignment_timestamp=timestamp_ms
        )
        self._write(CoordinatorRecord(key, value))

    def write_assignment(self, member: StreamsGroupMember) -> None:
        """Write the current assignment and the epoch of a member."""
        key = StreamsGroupCurrentMemberAssignmentKey(
            group_id=self.group_id, member_id=member.member_id
        )
        self._write(CoordinatorRecord(key, current_value(member.current)))

    def remove(self, member_id: str) -> None:
        """Remove a member."""
        whose = {"group_id": self.group_id, "member_id": member_id}
        self._write(CoordinatorRecord(StreamsGroupCurrentMemberAssignmentKey(**whose)))
        self._write(CoordinatorRecord(StreamsGroupTargetAssignmentMemberKey(**whose)))
        self._write(CoordinatorRecord(StreamsGroupMemberMetadataKey(**whose)))
