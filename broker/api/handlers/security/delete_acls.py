"""DeleteAcls: removes the access control entries that match filters.

Behaviour: each filter has its own result with the removed entries; an entry that several filters
match is in the result of each. No node decides by the removed entries when the response is sent.
"""

from __future__ import annotations

from broker.api.authorization.check import ALTER_CLUSTER
from broker.api.authorization.checks import require
from broker.api.handlers.applied_changes import ALTER_ACLS, applied
from broker.api.handlers.security.acl_codes import filter_of, require_authorizer
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.security.acl.binding import AclBinding
from broker.steps.queue import Slices, map_in_slices
from protocol.messages.delete_acls import (
    DeleteAclsFilterResult,
    DeleteAclsMatchingAcl,
    DeleteAclsRequest,
    DeleteAclsResponse,
)


def delete_acls(request: Request[DeleteAclsRequest]) -> Slices[DeleteAclsResponse]:
    """Remove what each filter matches."""
    filters = yield from map_in_slices(filter_of, request.body.filters)
    require(request, ALTER_CLUSTER)
    if filters:
        require_authorizer(request, "No Authorizer is configured.")
    controller = request.services.controller
    results = yield from controller.security.acls.delete(filters)
    yield from applied(request, ALTER_ACLS)
    described = yield from map_in_slices(_result, results)
    return DeleteAclsResponse(filter_results=described)


def _result(result: list[AclBinding] | ApiError) -> DeleteAclsFilterResult:
    if isinstance(result, ApiError):
        return DeleteAclsFilterResult(
            error_code=result.code, error_message=result.message, matching_acls=[]
        )
    return DeleteAclsFilterResult(
        matching_acls=[
            DeleteAclsMatchingAcl(
                resource_type=acl.resource_type,
                resource_name=acl.name,
                pattern_type=acl.pattern_type,
                principal=acl.principal,
                host=acl.host,
                operation=acl.operation,
                permission_type=acl.permission,
            )
            for acl in result
        ]
    )
