"""DeleteAcls: removes the access control entries that match filters, and returns them.

v1 pattern types (KIP-290), v2 flexible, v3 resources of type USER (KIP-373).
"""

from __future__ import annotations

from protocol.apis import DELETE_ACLS
from protocol.schema import body, int8, int16, int32, string, struct


@body(DELETE_ACLS)
class DeleteAclsRequest:
    filters: list[DeleteAclsFilter]


@struct
class DeleteAclsFilter:
    resource_type_filter: int8
    resource_name_filter: string | None
    pattern_type_filter: int8 = 3
    principal_filter: string | None
    host_filter: string | None
    operation: int8
    permission_type: int8


@body(DELETE_ACLS)
class DeleteAclsResponse:
    throttle_time_ms: int32 = 0
    filter_results: list[DeleteAclsFilterResult]


@struct
class DeleteAclsFilterResult:
    error_code: int16 = 0
    error_message: string | None = None
    matching_acls: list[DeleteAclsMatchingAcl]


@struct
class DeleteAclsMatchingAcl:
    error_code: int16 = 0
    error_message: string | None = None
    resource_type: int8
    resource_name: string
    pattern_type: int8 = 3
    principal: string
    host: string
    operation: int8
    permission_type: int8
