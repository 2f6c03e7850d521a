"""ElectLeaders: give partitions their preferred leaders back, or any leader at all (KIP-460).

Behaviour: v0 knows preferred elections only; null partitions mean all, and then partitions that
need no election are left out of the answer.

Deviations: the election is done when the answer goes out; the timeout is never used up.
"""

from __future__ import annotations

from broker.controller.partition_change import Election
from broker.request import Request
from broker.topic_partition import TopicPartition
from protocol.errors import ErrorCode
from protocol.messages.elect_leaders import (
    ElectLeadersRequest,
    ElectLeadersResponse,
    PartitionResult,
    ReplicaElectionResult,
)

_TYPES = {0: Election.PREFERRED, 1: Election.UNCLEAN}

_MESSAGES = {
    ErrorCode.ELECTION_NOT_NEEDED: "Leader election not needed for topic partition.",
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: "This server does not host this topic-partition.",
    ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE: "The preferred leader was not available.",
    ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE: "Eligible topic partition leaders are not available.",
}


def elect_leaders(request: Request[ElectLeadersRequest]) -> ElectLeadersResponse:
    """Hold the elections, and tell what came of each."""
    body = request.body
    election = _TYPES.get(body.election_type)
    if election is None:
        return ElectLeadersResponse(
            error_code=ErrorCode.INVALID_REQUEST, replica_election_results=[]
        )
    keys = None
    if body.topic_partitions is not None:
        keys = [
            TopicPartition(topic.topic, partition)
            for topic in body.topic_partitions
            for partition in topic.partitions
        ]
    results = request.node.controller.elect_leaders(election, keys)
    topics: dict[str, ReplicaElectionResult] = {}
    for key, error in results.items():
        topic = topics.setdefault(
            key.topic, ReplicaElectionResult(topic=key.topic, partition_result=[])
        )
        topic.partition_result.append(
            PartitionResult(
                partition_id=key.partition,
                error_code=error,
                error_message=_MESSAGES.get(error),
            )
        )
    return ElectLeadersResponse(replica_election_results=list(topics.values()))
