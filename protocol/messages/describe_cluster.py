"""DescribeCluster: the nodes of the cluster.

v1 kinds of endpoints (KIP-919), v2 fenced brokers (KIP-1073).
"""

from __future__ import annotations

from protocol.schema import boolean, int8, int16, int32, message, since, string, struct


@message(60, versions=(0, 2), flexible=0)
class DescribeClusterRequest:
    include_cluster_authorized_operations: boolean
    endpoint_type: int8 = since(1, default=1)
    include_fenced_brokers: boolean = since(2, default=False)


@message(60, versions=(0, 2), flexible=0)
class DescribeClusterResponse:
    throttle_time_ms: int32 = 0
    error_code: int16 = 0
    error_message: string | None = None
    endpoint_type: int8 = since(1, default=1)
    cluster_id: string
    controller_id: int32 = -1
    brokers: list[DescribeClusterBroker]
    cluster_authorized_operations: int32 = -(2**31)


@struct
class DescribeClusterBroker:
    broker_id: int32
    host: string
    port: int32
    rack: string | None = None
    is_fenced: boolean = since(2, default=False)
