"""CreateAcls: adds access control entries.

v1 pattern types (KIP-290), v2 flexible, v3 resources of type USER (KIP-373).
"""

from __future__ import annotations

from protocol.schema import int8, int16, int32, message, string, struct


@message(30, versions=(1, 3), flexible=2)
class CreateAclsRequest:
    creations: list[AclCreation]


@struct
class AclCreation:
    resource_type: int8
    resource_name: string
    resource_pattern_type: int8 = 3
    principal: string
    host: string
    operation: int8
    permission_type: int8


@message(30, versions=(1, 3), flexible=2)
class CreateAclsResponse:
    throttle_time_ms: int32 = 0
    results: list[AclCreationResult]


@struct
class AclCreationResult:
    error_code: int16 = 0
    error_message: string | None = None
