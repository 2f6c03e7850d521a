"""ListPartitionReassignments: the partitions that are on their way to other nodes (KIP-455).

Behaviour: null topics mean all; partitions named that are not being moved are left out.
"""

from __future__ import annotations

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
    """Those under way, of all topics or of those named."""
    asked = request.body.topics
    wanted = None
    if asked is not None:
        wanted = {
            TopicPartition(topic.name, index)
            for topic in asked
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
