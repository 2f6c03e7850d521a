"""DescribeQuorum: who keeps the cluster's metadata, and how much of it each node has (KIP-595).

Behaviour: only partition 0 of ``__cluster_metadata``, by itself, has a quorum. Its leader, and the
one voter, is the node that clients are told is the controller; the other nodes that are alive
observe. Offsets count the changes of the cluster since the process started; a node is behind by
what is still on its way to it.

Deviations: the controller is an object in the process and votes with nobody; the epoch counts how
often a node has registered.
"""

from __future__ import annotations

from broker.api.request import Request
from protocol.errors import ErrorCode
from protocol.messages.describe_quorum import (
    DescribeQuorumRequest,
    DescribeQuorumResponse,
    Listener,
    Node,
    PartitionData,
    ReplicaState,
    TopicData,
    TopicRequest,
)

_METADATA_LOG = "__cluster_metadata"


def describe_quorum(request: Request[DescribeQuorumRequest]) -> DescribeQuorumResponse:
    """The one quorum there is, or for each partition why it has none."""
    asked = request.body.topics
    if [(t.topic_name, [p.partition_index for p in t.partitions]) for t in asked] != [
        (_METADATA_LOG, [0])
    ]:
        return DescribeQuorumResponse(error_message="", topics=[_no_quorum(each) for each in asked])
    image = request.services.image
    leader = image.brokers.get(image.controller_id)
    return DescribeQuorumResponse(
        error_message="",
        topics=[TopicData(topic_name=_METADATA_LOG, partitions=[_quorum(request)])],
        nodes=[
            Node(
                node_id=leader.node_id,
                listeners=[Listener(name="PLAINTEXT", host=leader.host, port=leader.port)],
            )
        ]
        if leader is not None
        else [],
    )


def _quorum(request: Request[DescribeQuorumRequest]) -> PartitionData:
    image = request.services.image
    end = request.services.controller.log_end_offset
    alive = [broker.node_id for broker in image.alive_brokers()]
    return PartitionData(
        partition_index=0,
        error_message="",
        leader_id=image.controller_id,
        leader_epoch=max((broker.epoch for broker in image.brokers.values()), default=0),
        high_watermark=end,
        current_voters=[_replica(request, node, 0) for node in alive[:1]],
        observers=[
            _replica(request, node, request.services.controller.lag(node)) for node in alive[1:]
        ],
    )


def _replica(request: Request[DescribeQuorumRequest], node_id: int, lag: int) -> ReplicaState:
    """Who has everything got it this moment; of another it is not known when it had."""
    now_ms = request.services.clock.wall_ms() if lag == 0 else -1
    return ReplicaState(
        replica_id=node_id,
        log_end_offset=request.services.controller.log_end_offset - lag,
        last_fetch_timestamp=now_ms,
        last_caught_up_timestamp=now_ms,
    )


def _no_quorum(asked: TopicRequest) -> TopicData:
    return TopicData(
        topic_name=asked.topic_name,
        partitions=[
            PartitionData(
                partition_index=each.partition_index,
                error_code=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
                error_message="This server does not host this topic-partition.",
                leader_id=0,
                leader_epoch=0,
                high_watermark=0,
                current_voters=[],
                observers=[],
            )
            for each in asked.partitions
        ],
    )
