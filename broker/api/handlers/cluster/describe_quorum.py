"""DescribeQuorum: the quorum of the cluster's metadata, and the progress of each node (KIP-595).

Behaviour: only partition 0 of ``__cluster_metadata`` has a quorum, and a request must name only
that. Its leader and only voter is the node that Metadata responses name as the controller; the
other alive nodes are observers. Offsets count the changes of the cluster since the process started;
the lag of a node is the number of changes that it has not received.

Deviations: the controller is an object in the process, without votes; the epoch counts the
registrations of nodes. Its listener CONTROLLER has the address of a listener for clients.
"""

from __future__ import annotations

from broker.api.authorization.check import DESCRIBE_CLUSTER
from broker.api.authorization.checks import require
from broker.api.request import Request
from broker.common.error_messages import message_of
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
CONTROLLER_LISTENER = "CONTROLLER"


def describe_quorum(request: Request[DescribeQuorumRequest]) -> DescribeQuorumResponse:
    """Describe the quorum, or return an error for each other partition."""
    require(request, DESCRIBE_CLUSTER)
    requested = request.body.topics
    if [(t.topic_name, [p.partition_index for p in t.partitions]) for t in requested] != [
        (_METADATA_LOG, [0])
    ]:
        return DescribeQuorumResponse(
            error_message="", topics=[_no_quorum(each) for each in requested]
        )
    image = request.services.image
    leader = image.brokers.get(image.controller_id)
    return DescribeQuorumResponse(
        error_message="",
        topics=[TopicData(topic_name=_METADATA_LOG, partitions=[_quorum(request)])],
        nodes=[
            Node(
                node_id=leader.node_id,
                listeners=[Listener(name=CONTROLLER_LISTENER, host=leader.host, port=leader.port)],
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
    """A node with *lag* changes to receive; its last catch-up is now, or unknown (-1)."""
    now_ms = request.services.clock.wall_ms() if lag == 0 else -1
    return ReplicaState(
        replica_id=node_id,
        log_end_offset=request.services.controller.log_end_offset - lag,
        last_fetch_timestamp=now_ms,
        last_caught_up_timestamp=now_ms,
    )


def _no_quorum(requested: TopicRequest) -> TopicData:
    return TopicData(
        topic_name=requested.topic_name,
        partitions=[
            PartitionData(
                partition_index=each.partition_index,
                error_code=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
                error_message=message_of(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
                leader_id=0,
                leader_epoch=0,
                high_watermark=0,
                current_voters=[],
                observers=[],
            )
            for each in requested.partitions
        ],
    )
