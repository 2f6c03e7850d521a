"""AlterPartitionReassignments: move partitions to other nodes, or call a move off (KIP-455).

Behaviour: the new replicas are added and fetch at once; the old ones leave when all new ones are in
sync. Null replicas call off. v1 lets the client forbid another replication factor (KIP-860).
"""

from __future__ import annotations

from broker.errors import ApiError
from broker.request import Request
from broker.topic_partition import TopicPartition
from protocol.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    ReassignablePartition,
    ReassignablePartitionResponse,
    ReassignableTopicResponse,
)


def alter_partition_reassignments(
    request: Request[AlterPartitionReassignmentsRequest],
) -> AlterPartitionReassignmentsResponse:
    """Begin or end each move."""
    body = request.body
    return AlterPartitionReassignmentsResponse(
        allow_replication_factor_change=body.allow_replication_factor_change,
        responses=[
            ReassignableTopicResponse(
                name=topic.name,
                partitions=[_move(request, topic.name, each) for each in topic.partitions],
            )
            for topic in body.topics
        ],
    )


def _move(
    request: Request[AlterPartitionReassignmentsRequest], topic: str, asked: ReassignablePartition
) -> ReassignablePartitionResponse:
    answer = ReassignablePartitionResponse(partition_index=asked.partition_index)
    try:
        request.node.controller.reassign(
            TopicPartition(topic, asked.partition_index),
            asked.replicas,
            may_change_factor=request.body.allow_replication_factor_change,
        )
    except ApiError as error:
        answer.error_code, answer.error_message = error.code, error.message
    return answer
