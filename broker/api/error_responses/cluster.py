"""Error responses of requests about the cluster: coordinators, nodes, features, log directories.

Each function is the ``getErrorResponse`` of Kafka's request class of that name.
"""

from __future__ import annotations

from typing import Final

from broker.api.error_responses.failure import ErrorResponses, Failure
from protocol.messages.add_raft_voter import AddRaftVoterRequest, AddRaftVoterResponse
from protocol.messages.alter_replica_log_dirs import (
    AlterReplicaLogDirPartitionResult,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirsResponse,
    AlterReplicaLogDirTopicResult,
)
from protocol.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from protocol.messages.describe_cluster import DescribeClusterRequest, DescribeClusterResponse
from protocol.messages.describe_log_dirs import DescribeLogDirsRequest, DescribeLogDirsResponse
from protocol.messages.describe_quorum import DescribeQuorumRequest, DescribeQuorumResponse
from protocol.messages.find_coordinator import (
    Coordinator,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)
from protocol.messages.remove_raft_voter import RemoveRaftVoterRequest, RemoveRaftVoterResponse
from protocol.messages.unregister_broker import UnregisterBrokerRequest, UnregisterBrokerResponse
from protocol.messages.update_features import UpdateFeaturesRequest, UpdateFeaturesResponse


def _api_versions(_body: ApiVersionsRequest, failure: Failure) -> ApiVersionsResponse:
    return ApiVersionsResponse(error_code=failure.code, api_keys=[])


def _describe_cluster(_body: DescribeClusterRequest, failure: Failure) -> DescribeClusterResponse:
    return DescribeClusterResponse(
        error_code=failure.code, error_message=failure.message, cluster_id="", brokers=[]
    )


def _describe_log_dirs(_body: DescribeLogDirsRequest, failure: Failure) -> DescribeLogDirsResponse:
    return DescribeLogDirsResponse(error_code=failure.code, results=[])


def _alter_replica_log_dirs(
    body: AlterReplicaLogDirsRequest, failure: Failure
) -> AlterReplicaLogDirsResponse:
    return AlterReplicaLogDirsResponse(
        results=[
            AlterReplicaLogDirTopicResult(
                topic_name=topic.name,
                partitions=[
                    AlterReplicaLogDirPartitionResult(
                        partition_index=index, error_code=failure.code
                    )
                    for index in topic.partitions
                ],
            )
            for directory in body.dirs
            for topic in directory.topics
        ]
    )


def _describe_quorum(_body: DescribeQuorumRequest, failure: Failure) -> DescribeQuorumResponse:
    return DescribeQuorumResponse(
        error_code=failure.code, error_message=failure.default_message, topics=[]
    )


def _update_features(_body: UpdateFeaturesRequest, failure: Failure) -> UpdateFeaturesResponse:
    return UpdateFeaturesResponse(error_code=failure.code, error_message=failure.message)


def _unregister_broker(
    _body: UnregisterBrokerRequest, failure: Failure
) -> UnregisterBrokerResponse:
    """Kafka returns the text of an unexpected exception here; this broker does not."""
    message = failure.message or failure.default_message
    return UnregisterBrokerResponse(error_code=failure.code, error_message=message)


def _add_raft_voter(_body: AddRaftVoterRequest, failure: Failure) -> AddRaftVoterResponse:
    return AddRaftVoterResponse(error_code=failure.code, error_message=failure.default_message)


def _remove_raft_voter(_body: RemoveRaftVoterRequest, failure: Failure) -> RemoveRaftVoterResponse:
    return RemoveRaftVoterResponse(error_code=failure.code, error_message=failure.default_message)


def _find_coordinator(body: FindCoordinatorRequest, failure: Failure) -> FindCoordinatorResponse:
    message = failure.default_message
    return FindCoordinatorResponse(
        error_code=failure.code,
        error_message=message,
        node_id=-1,
        port=-1,
        coordinators=[
            Coordinator(
                key=key, node_id=-1, port=-1, error_code=failure.code, error_message=message
            )
            for key in body.coordinator_keys
        ],
    )


ERROR_RESPONSES: Final[ErrorResponses] = {
    ApiVersionsRequest: _api_versions,
    DescribeClusterRequest: _describe_cluster,
    DescribeLogDirsRequest: _describe_log_dirs,
    AlterReplicaLogDirsRequest: _alter_replica_log_dirs,
    DescribeQuorumRequest: _describe_quorum,
    UpdateFeaturesRequest: _update_features,
    UnregisterBrokerRequest: _unregister_broker,
    AddRaftVoterRequest: _add_raft_voter,
    RemoveRaftVoterRequest: _remove_raft_voter,
    FindCoordinatorRequest: _find_coordinator,
}
