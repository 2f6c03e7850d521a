"""DescribeCluster: the nodes of the cluster.

v1 kinds of endpoints (KIP-919), v2 fenced brokers (KIP-1073).
"""

from __future__ import annotations

from protocol.apis import DESCRIBE_CLUSTER
from protocol.schema import body, boolean, int8, int16, int32, since, string, struct


@body(DESCRIBE_CLUSTER)
class DescribeClusterRequest:
    include_cluster_authorized_operations: boolean
    endpoint_type: int8 = since(1, default=1)
    include_fenced_brokers: boolean = since(2, default=False)


@body(DESCRIBE_CLUSTER)
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
