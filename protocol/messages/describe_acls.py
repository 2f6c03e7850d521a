"""DescribeAcls: the access control entries that match a filter; null matches every value.

v1 pattern types (KIP-290), v2 flexible, v3 resources of type USER (KIP-373).
"""

from __future__ import annotations

from protocol.apis import DESCRIBE_ACLS
from protocol.schema import body, int8, int16, int32, string, struct


@body(DESCRIBE_ACLS)
class DescribeAclsRequest:
    resource_type_filter: int8
    resource_name_filter: string | None
    pattern_type_filter: int8 = 3
    principal_filter: string | None
    host_filter: string | None
    operation: int8
    permission_type: int8


@body(DESCRIBE_ACLS)
class DescribeAclsResponse:
    throttle_time_ms: int32 = 0
    error_code: int16 = 0
    error_message: string | None = None
    resources: list[DescribeAclsResource]


@struct
class DescribeAclsResource:
    resource_type: int8
    resource_name: string
    pattern_type: int8 = 3
    acls: list[AclDescription]


@struct
class AclDescription:
    principal: string
    host: string
    operation: int8
    permission_type: int8
