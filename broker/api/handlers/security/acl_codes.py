"""The codes of resources and operations in requests about ACLs.

Kafka closes the connection of a client that sends the code 0, which means unknown; a code that no
version of Kafka has is handled as unknown. (Kafka: the constructors of the request classes.)
"""

from __future__ import annotations

from typing import Any, TypeVar

from broker.api.request import Request
from broker.common.errors import ApiError, Refused
from broker.security.acl.filter import AclFilter
from broker.security.resource import Operation, PatternType, Permission, ResourceType
from protocol.errors import ErrorCode
from protocol.messages.delete_acls import DeleteAclsFilter
from protocol.messages.describe_acls import DescribeAclsRequest

Code = TypeVar("Code", ResourceType, PatternType, Operation, Permission)


def code_of(kind: type[Code], code: int) -> Code:
    """The meaning of a code; raises `Refused` for 0."""
    if code == 0:
        raise Refused(f"{kind.__name__} 0 in a request about ACLs")
    try:
        return kind(code)
    except ValueError:
        return kind(0)


def filter_of(requested: DescribeAclsRequest | DeleteAclsFilter) -> AclFilter:
    """The filter of a request; raises `Refused`."""
    return AclFilter(
        code_of(ResourceType, requested.resource_type_filter),
        code_of(PatternType, requested.pattern_type_filter),
        requested.resource_name_filter,
        requested.principal_filter,
        requested.host_filter,
        code_of(Operation, requested.operation),
        code_of(Permission, requested.permission_type),
    )


def require_authorizer(request: Request[Any], message: str) -> None:
    """Raise `ApiError` SECURITY_DISABLED if the node has no authorizer."""
    if request.services.authorizer is None:
        raise ApiError(ErrorCode.SECURITY_DISABLED, message)
