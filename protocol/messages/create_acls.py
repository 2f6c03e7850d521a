"""CreateAcls: adds access control entries.

v1 pattern types (KIP-290), v2 flexible, v3 resources of type USER (KIP-373).
"""

from __future__ import annotations

from protocol.apis import CREATE_ACLS
from protocol.schema import body, int8, int16, int32, string, struct


@body(CREATE_ACLS)
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


@body(CREATE_ACLS)
class CreateAclsResponse:
    throttle_time_ms: int32 = 0
    results: list[AclCreationResult]


@struct
class AclCreationResult:
    error_code: int16 = 0
    error_message: string | None = None
