"""ListPartitionReassignments: the partitions that are being moved (KIP-455).

Behaviour: null topics mean all; named partitions that are not being moved are omitted.
"""

from __future__ import annotations

from broker.api.authorization.check import DESCRIBE_CLUSTER
from broker.api.authorization.checks import require
from broker.api.request import Request
from broker.common.topic_partition import TopicPartition
from protocol.messages.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
    OngoingPartitionReassignment,
    OngoingTopicReassignment,
)


def list_partition_reassignments(
    request: Request[ListPartitionReassignmentsRequest],
) -> ListPartitionReassignmentsResponse:
    """List the moves of all topics, or of the named partitions."""
    require(request, DESCRIBE_CLUSTER)
    requested = request.body.topics
    wanted = None
    if requested is not None:
        wanted = {
            TopicPartition(topic.name, index)
            for topic in requested
            for index in topic.partition_indexes
        }
    topics: dict[str, OngoingTopicReassignment] = {}
    for key, registration in request.services.controller.reassignments().items():
        if wanted is None or key in wanted:
            topic = topics.setdefault(
                key.topic, OngoingTopicReassignment(name=key.topic, partitions=[])
            )
            topic.partitions.append(
                OngoingPartitionReassignment(
                    partition_index=key.partition,
                    replicas=list(registration.replicas),
                    adding_replicas=list(registration.adding_replicas),
                    removing_replicas=list(registration.removing_replicas),
                )
            )
    return ListPartitionReassignmentsResponse(topics=list(topics.values()))
