"""Error responses of requests about topics, leaders, reassignments, configs and quotas.

Each function is the ``getErrorResponse`` of Kafka's request class of that name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from broker.api.error_responses.failure import Failure
from protocol.messages import alter_client_quotas, alter_configs, incremental_alter_configs
from protocol.messages.alter_client_quotas import (
    AlterClientQuotasRequest,
    AlterClientQuotasResponse,
)
from protocol.messages.alter_configs import AlterConfigsRequest, AlterConfigsResponse
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
from protocol.messages.describe_client_quotas import (
    DescribeClientQuotasRequest,
    DescribeClientQuotasResponse,
)
from protocol.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResponse,
    DescribeConfigsResult,
)
from protocol.messages.elect_leaders import (
    ElectLeadersRequest,
    ElectLeadersResponse,
    PartitionResult,
    ReplicaElectionResult,
)
from protocol.messages.incremental_alter_configs import (
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from protocol.messages.list_config_resources import (
    ListConfigResourcesRequest,
    ListConfigResourcesResponse,
)
from protocol.messages.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
    OngoingPartitionReassignment,
    OngoingTopicReassignment,
)

Altered = TypeVar(
    "Altered",
    alter_configs.AlterConfigsResourceResponse,
    incremental_alter_configs.AlterConfigsResourceResponse,
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


def _describe_configs(body: DescribeConfigsRequest, failure: Failure) -> DescribeConfigsResponse:
    return DescribeConfigsResponse(
        results=[
            DescribeConfigsResult(
                error_code=failure.code,
                error_message=failure.default_message,
                resource_type=resource.resource_type,
                resource_name=resource.resource_name,
                configs=[],
            )
            for resource in body.resources
        ]
    )


def _alter_configs(body: AlterConfigsRequest, failure: Failure) -> AlterConfigsResponse:
    cls = alter_configs.AlterConfigsResourceResponse
    return AlterConfigsResponse(responses=_altered(cls, body.resources, failure))


def _incremental_alter_configs(
    body: IncrementalAlterConfigsRequest, failure: Failure
) -> IncrementalAlterConfigsResponse:
    cls = incremental_alter_configs.AlterConfigsResourceResponse
    return IncrementalAlterConfigsResponse(responses=_altered(cls, body.resources, failure))


def _altered(
    cls: type[Altered],
    resources: Iterable[
        alter_configs.AlterConfigsResource | incremental_alter_configs.AlterConfigsResource
    ],
    failure: Failure,
) -> list[Altered]:
    return [
        cls(
            error_code=failure.code,
            error_message=failure.message,
            resource_type=resource.resource_type,
            resource_name=resource.resource_name,
        )
        for resource in resources
    ]


def _list_config_resources(
    _body: ListConfigResourcesRequest, failure: Failure
) -> ListConfigResourcesResponse:
    return ListConfigResourcesResponse(error_code=failure.code, config_resources=[])


def _describe_client_quotas(
    _body: DescribeClientQuotasRequest, failure: Failure
) -> DescribeClientQuotasResponse:
    return DescribeClientQuotasResponse(
        error_code=failure.code, error_message=failure.message, entries=None
    )


def _alter_client_quotas(
    body: AlterClientQuotasRequest, failure: Failure
) -> AlterClientQuotasResponse:
    return AlterClientQuotasResponse(
        entries=[
            alter_client_quotas.EntryResponse(
                error_code=failure.code, error_message=failure.default_message, entity=entry.entity
            )
            for entry in body.entries
        ]
    )


CHANGES: dict[Any, Callable[[Any, Failure], object | None]] = {
    CreateTopicsRequest: _create_topics,
    DeleteTopicsRequest: _delete_topics,
    CreatePartitionsRequest: _create_partitions,
    ElectLeadersRequest: _elect_leaders,
    AlterPartitionReassignmentsRequest: _alter_partition_reassignments,
    ListPartitionReassignmentsRequest: _list_partition_reassignments,
    DescribeConfigsRequest: _describe_configs,
    AlterConfigsRequest: _alter_configs,
    IncrementalAlterConfigsRequest: _incremental_alter_configs,
    ListConfigResourcesRequest: _list_config_resources,
    DescribeClientQuotasRequest: _describe_client_quotas,
    AlterClientQuotasRequest: _alter_client_quotas,
}
