"""A group coordinator's interface whose calls are requests to a remote broker."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.groups.classic.requests import (
    GroupMember,
    JoinGroup,
    JoinResult,
    LeavingMember,
    SyncGroup,
    SyncResult,
)
from broker.groups.consumer.requests import ConsumerGroupHeartbeat, ConsumerGroupHeartbeatResult
from broker.groups.offset_and_metadata import OffsetAndMetadata
from broker.groups.offset_metadata_manager import OffsetCommit
from integration.groups.remote_broker import RemoteBroker
from protocol.errors import ErrorCode
from protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    TopicPartitions,
)
from protocol.messages.delete_groups import DeleteGroupsRequest
from protocol.messages.heartbeat import HeartbeatRequest
from protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup
from protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment


class RemoteCoordinator:
    """The methods of a group coordinator that group scripts call."""

    def __init__(self, broker: RemoteBroker) -> None:
        self._broker = broker
        self.offsets = self.runtime = self.departures = self
        self.consumers = RemoteConsumers(broker)

    def when_replicated(self, _group: str, on_replicated: Callable[[ErrorCode], None]) -> None:
        """Report success: the remote broker responds after replication."""
        on_replicated(ErrorCode.NONE)

    def join_group(self, request: JoinGroup, on_response: Callable[[JoinResult], None]) -> None:
        """JoinGroup."""
        version = 9 if request.supports_skipping_assignment else 3
        if request.require_known_member_id and version < 4:
            version = 8
        body = JoinGroupRequest(
            group_id=self._broker.group,
            session_timeout_ms=request.session_timeout_ms,
            rebalance_timeout_ms=request.rebalance_timeout_ms,
            member_id=request.member_id,
            group_instance_id=request.group_instance_id,
            protocol_type=request.protocol_type,
            protocols=[
                JoinGroupRequestProtocol(name=each.name, metadata=each.metadata)
                for each in request.protocols
            ],
        )

        def on_result(reported: Any) -> None:
            on_response(
                JoinResult(
                    error=ErrorCode(reported.error_code),
                    member_id=reported.member_id,
                    generation_id=reported.generation_id,
                    protocol_type=reported.protocol_type,
                    protocol_name=reported.protocol_name,
                    leader_id=reported.leader,
                    skip_assignment=reported.skip_assignment,
                    members=[
                        GroupMember(each.member_id, each.group_instance_id, b"")
                        for each in reported.members
                    ],
                )
            )

        self._broker.park(body, version, request.client_id, on_result)

    def sync_group(self, request: SyncGroup, on_response: Callable[[SyncResult], None]) -> None:
        """SyncGroup."""
        body = SyncGroupRequest(
            group_id=self._broker.group,
            generation_id=request.generation_id,
            member_id=request.member_id,
            group_instance_id=request.group_instance_id,
            protocol_type=request.protocol_type,
            protocol_name=request.protocol_name,
            assignments=[
                SyncGroupRequestAssignment(member_id=member_id, assignment=part)
                for member_id, part in request.assignments.items()
            ],
        )

        def on_result(reported: Any) -> None:
            result = SyncResult(
                error=ErrorCode(reported.error_code), assignment=bytes(reported.assignment)
            )
            on_response(result)

        named = request.protocol_type is not None and request.protocol_name is not None
        version = 5 if named else 4
        self._broker.park(body, version, "player", on_result)

    def heartbeat(
        self, _group: str, member_id: str, group_instance_id: str | None, generation_id: int
    ) -> ErrorCode:
        """Heartbeat."""
        body = HeartbeatRequest(
            group_id=self._broker.group,
            generation_id=generation_id,
            member_id=member_id,
            group_instance_id=group_instance_id,
        )
        return ErrorCode(self._broker.request(body).error_code)

    def leave(self, _group: str, leaving: Sequence[LeavingMember]) -> list[ErrorCode]:
        """LeaveGroup."""
        body = LeaveGroupRequest(
            group_id=self._broker.group,
            members=[
                MemberIdentity(member_id=each.member_id, group_instance_id=each.group_instance_id)
                for each in leaving
            ],
        )
        return [ErrorCode(each.error_code) for each in self._broker.request(body).members]

    def delete_group(self, _group: str) -> None:
        """DeleteGroups."""
        reported = self._broker.request(DeleteGroupsRequest(groups_names=[self._broker.group]))
        _raise_if(reported.results[0].error_code)

    # ------------------------------------------------------------------------------- offsets

    def commit(self, request: OffsetCommit) -> list[ErrorCode]:
        """OffsetCommit."""
        topics: dict[str, list[OffsetCommitRequestPartition]] = {}
        for commit in request.commits:
            topics.setdefault(commit.partition.topic, []).append(
                OffsetCommitRequestPartition(
                    partition_index=commit.partition.partition,
                    committed_offset=commit.offset,
                    committed_metadata=commit.metadata,
                )
            )
        body = OffsetCommitRequest(
            group_id=self._broker.group,
            generation_id_or_member_epoch=request.generation_id_or_member_epoch,
            member_id=request.member_id,
            group_instance_id=request.group_instance_id,
            topics=[
                OffsetCommitRequestTopic(name=self._broker.real(name), partitions=partitions)
                for name, partitions in topics.items()
            ],
        )
        reported = self._broker.request(body, request.api_version)
        return [
            ErrorCode(partition.error_code)
            for topic in reported.topics
            for partition in topic.partitions
        ]

    def fetch(self, _group: str) -> Mapping[TopicPartition, OffsetAndMetadata]:
        """OffsetFetch."""
        requested = OffsetFetchRequestGroup(group_id=self._broker.group, topics=None)
        (reported,) = self._broker.request(OffsetFetchRequest(groups=[requested]), 9).groups
        return {
            TopicPartition(
                self._broker.reported(topic.name), each.partition_index
            ): OffsetAndMetadata(each.committed_offset)
            for topic in reported.topics
            for each in topic.partitions
        }

    def delete(
        self, _group: str, partitions: Sequence[TopicPartition]
    ) -> dict[TopicPartition, ErrorCode]:
        """OffsetDelete, one request for each partition."""
        errors = {}
        for partition in partitions:
            requested = OffsetDeleteRequestPartition(partition_index=partition.partition)
            topic = OffsetDeleteRequestTopic(
                name=self._broker.real(partition.topic), partitions=[requested]
            )
            body = OffsetDeleteRequest(group_id=self._broker.group, topics=[topic])
            reported = self._broker.request(body)
            _raise_if(reported.error_code)
            errors[partition] = ErrorCode(reported.topics[0].partitions[0].error_code)
        return errors


class RemoteConsumers:
    """The method of the coordinator of consumer groups that group scripts call."""

    def __init__(self, broker: RemoteBroker) -> None:
        self._broker = broker

    def heartbeat(
        self, request: ConsumerGroupHeartbeat, _version: int
    ) -> ConsumerGroupHeartbeatResult:
        """ConsumerGroupHeartbeat."""
        names, owned = request.subscribed_topic_names, request.owned
        body = ConsumerGroupHeartbeatRequest(
            group_id=self._broker.group,
            member_id=request.member_id,
            member_epoch=request.member_epoch,
            instance_id=request.instance_id,
            rack_id=request.rack_id,
            rebalance_timeout_ms=request.rebalance_timeout_ms,
            subscribed_topic_names=(
                None if names is None else [self._broker.real(name) for name in names]
            ),
            subscribed_topic_regex=self._real_regex(request.subscribed_topic_regex),
            server_assignor=request.server_assignor,
            topic_partitions=(
                None
                if owned is None
                else [
                    TopicPartitions(topic_id=topic_id, partitions=list(parts))
                    for topic_id, parts in owned.items()
                ]
            ),
        )
        reported = self._broker.request(body, client=request.client_id)
        _raise_if(reported.error_code)
        assigned = None
        if reported.assignment is not None:
            assigned = {
                each.topic_id: dict.fromkeys(each.partitions, 0)
                for each in reported.assignment.topic_partitions
            }
        return ConsumerGroupHeartbeatResult(
            member_id=reported.member_id or "",
            member_epoch=reported.member_epoch,
            assigned=assigned,
        )

    def _real_regex(self, regex: str | None) -> str | None:
        return regex and f"{re.escape(self._broker.prefix)}(?:{regex})"


def _raise_if(error_code: int) -> None:
    if error_code:
        raise ApiError(ErrorCode(error_code))
