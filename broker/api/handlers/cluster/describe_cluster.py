"""DescribeCluster: the brokers and the controller of the cluster (KIP-700).

Versions: 1 adds the type of endpoint (KIP-919), 2 fenced brokers.

Behaviour: a stopped node is fenced, and is included only if the request says so (v2). A request for
the controllers' endpoints is MISMATCHED_ENDPOINT_TYPE.
"""

from __future__ import annotations

from broker.api.authorization.authorized_operations import authorized_operations
from broker.api.authorization.check import DESCRIBE_CLUSTER
from broker.api.authorization.checks import is_authorized
from broker.api.request import Request
from broker.security.resource import ResourceType
from protocol.errors import ErrorCode
from protocol.messages.describe_cluster import (
    DescribeClusterBroker,
    DescribeClusterRequest,
    DescribeClusterResponse,
)

_BROKERS = 1
_CONTROLLERS = 2


def describe_cluster(request: Request[DescribeClusterRequest]) -> DescribeClusterResponse:
    """Describe the brokers of the cluster."""
    image, listener = request.services.image, request.session.listener
    if request.body.endpoint_type != _BROKERS:
        return _refusal(request.body.endpoint_type)
    response = DescribeClusterResponse(
        cluster_id=image.cluster_id,
        controller_id=image.controller_id,
        brokers=[
            DescribeClusterBroker(
                broker_id=broker.node_id,
                host=broker.endpoints[listener][0],
                port=broker.endpoints[listener][1],
                rack=broker.rack,
                is_fenced=broker.fenced,
            )
            for broker in sorted(image.brokers.values(), key=lambda each: each.node_id)
            if request.body.include_fenced_brokers or not broker.fenced
            if listener in broker.endpoints
        ],
    )
    if request.body.include_cluster_authorized_operations:
        response.cluster_authorized_operations = (
            authorized_operations(request, ResourceType.CLUSTER)
            if is_authorized(request, DESCRIBE_CLUSTER)
            else 0
        )
    return response


def _refusal(endpoint_type: int) -> DescribeClusterResponse:
    if endpoint_type == _CONTROLLERS:
        error = ErrorCode.MISMATCHED_ENDPOINT_TYPE
        reason = (
            "The request was sent to an endpoint of type BROKER, but we wanted an endpoint of type "
            "CONTROLLER"
        )
    else:
        error = ErrorCode.UNSUPPORTED_ENDPOINT_TYPE
        reason = f"Unsupported endpoint type {endpoint_type}"
    return DescribeClusterResponse(
        error_code=error,
        error_message=reason,
        endpoint_type=_BROKERS,
        cluster_id="",
        controller_id=-1,
        brokers=[],
    )
