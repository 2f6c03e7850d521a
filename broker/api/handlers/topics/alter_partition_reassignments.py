"""AlterPartitionReassignments: moves partitions to other nodes, or cancels a move (KIP-455).

Behaviour: the new replicas are added and fetch at once; the old ones leave when all new ones are in
sync. Null replicas cancel the move. v1 can forbid a change of the replication factor (KIP-860). The
timeout counts only if there are topics.
"""

from __future__ import annotations

from broker.api.authorization.check import ALTER_CLUSTER
from broker.api.authorization.checks import require
from broker.api.handlers.applied_changes import applied
from broker.api.handlers.request_checks import check_time_left
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.steps.queue import Slices
from protocol.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    ReassignablePartitionResponse,
    ReassignableTopicResponse,
)


def alter_partition_reassignments(
    request: Request[AlterPartitionReassignmentsRequest],
) -> Slices[AlterPartitionReassignmentsResponse]:
    """Begin or cancel the move of each partition."""
    require(request, ALTER_CLUSTER)
    if not request.body.topics:
        return AlterPartitionReassignmentsResponse(error_message="", responses=[])
    check_time_left(request.body.timeout_ms)
    body, controller = request.body, request.services.controller
    moves = [
        (TopicPartition(topic.name, each.partition_index), each.replicas)
        for topic in body.topics
        for each in topic.partitions
    ]
    results = yield from controller.reassign_all(
        moves, may_change_factor=body.allow_replication_factor_change
    )
    yield from applied(request)
    errors = iter(results)
    return AlterPartitionReassignmentsResponse(
        allow_replication_factor_change=body.allow_replication_factor_change,
        responses=[
            ReassignableTopicResponse(
                name=topic.name,
                partitions=[
                    _result(each.partition_index, next(errors)) for each in topic.partitions
                ],
            )
            for topic in body.topics
        ],
    )


def _result(index: int, error: ApiError | None) -> ReassignablePartitionResponse:
    result = ReassignablePartitionResponse(partition_index=index)
    if error is not None:
        result.error_code, result.error_message = error.code, error.message
    return result
