"""ElectLeaders: elects the preferred leaders of partitions, or unclean leaders (KIP-460).

Behaviour: v0 has preferred elections only. Null partitions mean all; the response then omits
partitions that need no election, but not their topics. An unclean election may lose records; it
is allowed whatever ``unclean.leader.election.enable`` is. Timeout and type are checked only if
there are topics.

Deviations: the election is complete when the response is sent; the timeout never expires.
"""

from __future__ import annotations

from collections.abc import Mapping

from broker.api.authorization.check import ALTER_CLUSTER
from broker.api.authorization.checks import require
from broker.api.handlers.applied_changes import applied
from broker.api.handlers.request_checks import check_time_left
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.controller.partitions.partition_change import Election
from broker.steps.queue import Slices
from protocol.errors import ErrorCode
from protocol.messages.elect_leaders import (
    ElectLeadersRequest,
    ElectLeadersResponse,
    PartitionResult,
    ReplicaElectionResult,
    TopicPartitions,
)

_TYPES = {0: Election.PREFERRED, 1: Election.UNCLEAN}


def elect_leaders(request: Request[ElectLeadersRequest]) -> Slices[ElectLeadersResponse]:
    """Run the elections, and return the result of each."""
    require(request, ALTER_CLUSTER)
    requested = request.body.topic_partitions
    if requested == []:
        return ElectLeadersResponse(replica_election_results=[])
    check_time_left(request.body.timeout_ms)
    keys = None if requested is None else _keys(requested)
    election = _TYPES.get(request.body.election_type)
    if election is None:
        reason = f"Unknown election type {request.body.election_type}"
        refusal = ApiError(ErrorCode.INVALID_REQUEST, reason)
        return ElectLeadersResponse(
            error_code=refusal.code,
            replica_election_results=_listed(requested or [], dict.fromkeys(keys or [], refusal)),
        )
    results = yield from request.services.controller.elect_leaders(election, keys)
    yield from applied(request)
    if requested is None:
        found: dict[str, list[int]] = {
            topic.name: [] for topic in request.services.controller.image
        }
        for key in results:
            found[key.topic].append(key.partition)
        requested = [TopicPartitions(topic=name, partitions=found[name]) for name in found]
    return ElectLeadersResponse(replica_election_results=_listed(requested, results))


def _keys(requested: list[TopicPartitions]) -> list[TopicPartition]:
    return [TopicPartition(topic.topic, index) for topic in requested for index in topic.partitions]


def _listed(
    requested: list[TopicPartitions], results: Mapping[TopicPartition, ApiError | None]
) -> list[ReplicaElectionResult]:
    """The results, grouped as in the request."""
    return [
        ReplicaElectionResult(
            topic=topic.topic,
            partition_result=[
                _result(index, results[TopicPartition(topic.topic, index)])
                for index in topic.partitions
            ],
        )
        for topic in requested
    ]


def _result(index: int, error: ApiError | None) -> PartitionResult:
    if error is None:
        return PartitionResult(partition_id=index)
    return PartitionResult(partition_id=index, error_code=error.code, error_message=error.message)
