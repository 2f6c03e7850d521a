"""Error responses of requests about topics, leaders and reassignments.

Each function is the ``getErrorResponse`` of Kafka's request class of that name.
"""

from __future__ import annotations

from typing import Final

from broker.api.error_responses.failure import ErrorResponses, Failure
from protocol.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    ReassignablePartitionResponse,
    ReassignableTopicResponse,
)
from protocol.messages.create_partitions import (
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsTopicResult,
)
from protocol.messages.create_topics import (
    CreatableTopicResult,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from protocol.messages.delete_topics import (
    DeletableTopicResult,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
)
from protocol.messages.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
    DescribeTopicPartitionsResponseTopic,
)
from protocol.messages.elect_leaders import (
    ElectLeadersRequest,
    ElectLeadersResponse,
    PartitionResult,
    ReplicaElectionResult,
)
from protocol.messages.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
    OngoingPartitionReassignment,
    OngoingTopicReassignment,
)
from protocol.messages.metadata import MetadataRequest, MetadataResponse, MetadataResponseTopic
from protocol.schema import ZERO_UUID


def _metadata(body: MetadataRequest, failure: Failure) -> MetadataResponse:
    """Without topics if the request is for all; before v13 that response has no code."""
    return MetadataResponse(
        brokers=[],
        topics=[
            MetadataResponseTopic(
                error_code=failure.code,
                name=topic.name or "",
                topic_id=topic.topic_id,
                partitions=[],
            )
            for topic in body.topics or ()
        ],
        error_code=failure.code,
    )


def _describe_topic_partitions(
    body: DescribeTopicPartitionsRequest, failure: Failure
) -> DescribeTopicPartitionsResponse:
    return DescribeTopicPartitionsResponse(
        topics=[
            DescribeTopicPartitionsResponseTopic(
                error_code=failure.code, name=topic.name, topic_id=ZERO_UUID, partitions=[]
            )
            for topic in body.topics
        ]
    )


def _create_topics(body: CreateTopicsRequest, failure: Failure) -> CreateTopicsResponse:
    return CreateTopicsResponse(
        topics=[
            CreatableTopicResult(
                name=topic.name, error_code=failure.code, error_message=failure.message
            )
            for topic in body.topics
        ]
    )


def _delete_topics(body: DeleteTopicsRequest, failure: Failure) -> DeleteTopicsResponse:
    """Old versions name topics in ``topic_names``, new ones in ``topics``."""
    return DeleteTopicsResponse(
        responses=[
            *(
                DeletableTopicResult(name=name, error_code=failure.code)
                for name in body.topic_names
            ),
            *(
                DeletableTopicResult(
                    name=topic.name, topic_id=topic.topic_id, error_code=failure.code
                )
                for topic in body.topics
            ),
        ]
    )


def _create_partitions(body: CreatePartitionsRequest, failure: Failure) -> CreatePartitionsResponse:
    return CreatePartitionsResponse(
        results=[
            CreatePartitionsTopicResult(
                name=topic.name, error_code=failure.code, error_message=failure.message
            )
            for topic in body.topics
        ]
    )


def _elect_leaders(body: ElectLeadersRequest, failure: Failure) -> ElectLeadersResponse:
    return ElectLeadersResponse(
        error_code=failure.code,
        replica_election_results=[
            ReplicaElectionResult(
                topic=topic.topic,
                partition_result=[
                    PartitionResult(
                        partition_id=index, error_code=failure.code, error_message=failure.message
                    )
                    for index in topic.partitions
                ],
            )
            for topic in body.topic_partitions or ()
        ],
    )


def _alter_partition_reassignments(
    body: AlterPartitionReassignmentsRequest, failure: Failure
) -> AlterPartitionReassignmentsResponse:
    return AlterPartitionReassignmentsResponse(
        error_code=failure.code,
        error_message=failure.message,
        responses=[
            ReassignableTopicResponse(
                name=topic.name,
                partitions=[
                    ReassignablePartitionResponse(
                        partition_index=partition.partition_index,
                        error_code=failure.code,
                        error_message=failure.message,
                    )
                    for partition in topic.partitions
                ],
            )
            for topic in body.topics
        ],
    )


def _list_partition_reassignments(
    body: ListPartitionReassignmentsRequest, failure: Failure
) -> ListPartitionReassignmentsResponse:
    """Each requested partition is in the response, without replicas."""
    return ListPartitionReassignmentsResponse(
        error_code=failure.code,
        error_message=failure.message,
        topics=[
            OngoingTopicReassignment(
                name=topic.name,
                partitions=[
                    OngoingPartitionReassignment(
                        partition_index=index, replicas=[], adding_replicas=[], removing_replicas=[]
                    )
                    for index in topic.partition_indexes
                ],
            )
            for topic in body.topics or ()
        ],
    )


ERROR_RESPONSES: Final[ErrorResponses] = {
    MetadataRequest: _metadata,
    DescribeTopicPartitionsRequest: _describe_topic_partitions,
    CreateTopicsRequest: _create_topics,
    DeleteTopicsRequest: _delete_topics,
    CreatePartitionsRequest: _create_partitions,
    ElectLeadersRequest: _elect_leaders,
    AlterPartitionReassignmentsRequest: _alter_partition_reassignments,
    ListPartitionReassignmentsRequest: _list_partition_reassignments,
}
