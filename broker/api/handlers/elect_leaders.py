"""ElectLeaders: give partitions their preferred leaders back, or any leader at all (KIP-460).

Behaviour: v0 knows preferred elections only; null partitions mean all, and then partitions that
need no election are left out of the answer, though their topics are not. An unclean election may
lose records, whatever ``unclean.leader.election.enable`` says: who asks for it wants it.

Deviations: the election is done when the answer goes out; the timeout is never used up.
"""

from __future__ import annotations

from collections.abc import Mapping

from broker.api.handlers.request_checks import check_time_left
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.controller.partition_change import Election
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
    """Hold the elections, and tell what came of each."""
    check_time_left(request.body.timeout_ms)
    asked = request.body.topic_partitions
    keys = None if asked is None else _keys(asked)
    election = _TYPES.get(request.body.election_type)
    if election is None:
        reason = f"Unknown election type {request.body.election_type}"
        refusal = ApiError(ErrorCode.INVALID_REQUEST, reason)
        return ElectLeadersResponse(
            error_code=refusal.code,
            replica_election_results=_listed(asked or [], dict.fromkeys(keys or [], refusal)),
        )
    results = yield from request.services.controller.elect_leaders(election, keys)
    yield from request.services.controller.applied()
    if asked is None:
        found: dict[str, list[int]] = {
            topic.name: [] for topic in request.services.controller.image
        }
        for key in results:
            found[key.topic].append(key.partition)
        asked = [TopicPartitions(topic=name, partitions=found[name]) for name in found]
    return ElectLeadersResponse(replica_election_results=_listed(asked, results))


def _keys(asked: list[TopicPartitions]) -> list[TopicPartition]:
    return [TopicPartition(topic.topic, index) for topic in asked for index in topic.partitions]


def _listed(
    asked: list[TopicPartitions], results: Mapping[TopicPartition, ApiError | None]
) -> list[ReplicaElectionResult]:
    """The results in the shape of the question."""
    return [
        ReplicaElectionResult(
            topic=topic.topic,
            partition_result=[
                _result(index, results[TopicPartition(topic.topic, index)])
                for index in topic.partitions
            ],
        )
        for topic in asked
    ]


def _result(index: int, error: ApiError | None) -> PartitionResult:
    if error is None:
        return PartitionResult(partition_id=index)
    return PartitionResult(partition_id=index, error_code=error.code, error_message=error.message)
