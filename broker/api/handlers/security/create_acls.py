"""CreateAcls: adds access control entries.

Behaviour: each entry has its own result; an entry that exists is not added again. ANY or MATCH in
an entry is an UNKNOWN_SERVER_ERROR of the whole request, as in Kafka. Every node decides by the new
entries when the response is sent.
"""

from __future__ import annotations

from broker.api.authorization.check import ALTER_CLUSTER
from broker.api.authorization.checks import require
from broker.api.handlers.applied_changes import ALTER_ACLS, applied
from broker.api.handlers.security.acl_codes import code_of, require_authorizer
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.security.acl.binding import AclBinding
from broker.security.resource import Operation, PatternType, Permission, ResourceType
from broker.steps.queue import Slices, map_in_slices
from protocol.errors import ErrorCode
from protocol.messages.create_acls import (
    AclCreation,
    AclCreationResult,
    CreateAclsRequest,
    CreateAclsResponse,
)

# The values that only filters can have.
_OF_FILTERS = (
    ResourceType.ANY,
    PatternType.ANY,
    PatternType.MATCH,
    Operation.ANY,
    Permission.ANY,
)


def create_acls(request: Request[CreateAclsRequest]) -> Slices[CreateAclsResponse]:
    """Add each entry."""
    bindings = yield from map_in_slices(_binding, request.body.creations)
    require(request, ALTER_CLUSTER)
    if bindings:
        require_authorizer(request, "No Authorizer is configured.")
    for binding in bindings:
        if any(value is of_filters for value in binding for of_filters in _OF_FILTERS):
            raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)
    controller = request.services.controller
    errors = yield from controller.security.acls.create(bindings)
    yield from applied(request, ALTER_ACLS)
    return CreateAclsResponse(results=[_result(error) for error in errors])


def _binding(creation: AclCreation) -> AclBinding:
    return AclBinding(
        code_of(ResourceType, creation.resource_type),
        code_of(PatternType, creation.resource_pattern_type),
        creation.resource_name,
        creation.principal,
        creation.host,
        code_of(Operation, creation.operation),
        code_of(Permission, creation.permission_type),
    )


def _result(error: ApiError | None) -> AclCreationResult:
    if error is None:
        return AclCreationResult(error_message="")
    return AclCreationResult(error_code=error.code, error_message=error.message)
