"""DescribeAcls: the access control entries that match a filter.

Behaviour: the response groups the entries by pattern. Values that this broker does not know match
nothing.
"""

from __future__ import annotations

from broker.api.authorization.check import DESCRIBE_CLUSTER
from broker.api.authorization.checks import require
from broker.api.handlers.security.acl_codes import filter_of, require_authorizer
from broker.api.request import Request
from broker.steps.queue import Slices
from protocol.messages.describe_acls import (
    AclDescription,
    DescribeAclsRequest,
    DescribeAclsResource,
    DescribeAclsResponse,
)


def describe_acls(request: Request[DescribeAclsRequest]) -> Slices[DescribeAclsResponse]:
    """Describe each entry that matches."""
    acl_filter = filter_of(request.body)
    require(request, DESCRIBE_CLUSTER)
    require_authorizer(request, "No Authorizer is configured on the broker")
    selected = yield from acl_filter.select(list(request.services.image.acls))
    resources: dict[tuple[int, int, str], DescribeAclsResource] = {}
    for acl in selected:
        resource = resources.get(acl[:3])
        if resource is None:
            resource = resources[acl[:3]] = DescribeAclsResource(
                resource_type=acl.resource_type,
                resource_name=acl.name,
                pattern_type=acl.pattern_type,
                acls=[],
            )
        resource.acls.append(
            AclDescription(
                principal=acl.principal,
                host=acl.host,
                operation=acl.operation,
                permission_type=acl.permission,
            )
        )
        yield None
    return DescribeAclsResponse(error_message="", resources=list(resources.values()))
