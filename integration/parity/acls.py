"""Access control entries: created, deleted and described, and waits until a node applies them."""

from __future__ import annotations

from typing import Any, NamedTuple

from broker.security.resource import (
    CLUSTER_NAME,
    Operation,
    PatternType,
    Permission,
    ResourceType,
)
from integration.machine.deadlines import eventually
from integration.parity.client import Client
from integration.parity.logins import log_in
from integration.parity.scenario import Kafka
from protocol.messages.create_acls import AclCreation, CreateAclsRequest
from protocol.messages.delete_acls import DeleteAclsFilter, DeleteAclsRequest
from protocol.messages.describe_acls import DescribeAclsRequest

ANY, MATCH = PatternType.ANY, PatternType.MATCH
LITERAL, PREFIXED = PatternType.LITERAL, PatternType.PREFIXED
TOPIC, GROUP = ResourceType.TOPIC, ResourceType.GROUP
CLUSTER, TRANSACTIONAL_ID = ResourceType.CLUSTER, ResourceType.TRANSACTIONAL_ID
ALLOW, DENY = Permission.ALLOW, Permission.DENY


class Acl(NamedTuple):
    """An access control entry of a user."""

    operation: Operation
    resource: ResourceType
    name: str
    pattern: PatternType = LITERAL
    permission: Permission = ALLOW
    host: str = "*"

    def __str__(self) -> str:
        parts = (self.permission, self.operation, self.resource, self.pattern)
        named = " ".join(part.name for part in parts)
        return f"{named} {self.name} from {self.host}"


def on_cluster(operation: Operation, permission: Permission = ALLOW) -> Acl:
    """An entry for the cluster."""
    return Acl(operation, CLUSTER, CLUSTER_NAME, permission=permission)


def creation(
    principal: str,
    operation: int = Operation.READ,
    resource: int = TOPIC,
    name: str = "a-topic",
    *,
    pattern: int = LITERAL,
    permission: int = ALLOW,
    host: str = "*",
) -> AclCreation:
    """An entry of CreateAcls."""
    return AclCreation(
        resource_type=resource,
        resource_name=name,
        resource_pattern_type=pattern,
        principal=principal,
        host=host,
        operation=operation,
        permission_type=permission,
    )


def acl_filter(
    principal: str | None = None,
    *,
    resource: int = ResourceType.ANY,
    name: str | None = None,
    pattern: int = ANY,
    host: str | None = None,
    operation: int = Operation.ANY,
    permission: int = Permission.ANY,
) -> DescribeAclsRequest:
    """DescribeAcls with a filter, by default of all entries."""
    return DescribeAclsRequest(
        resource_type_filter=resource,
        resource_name_filter=name,
        pattern_type_filter=pattern,
        principal_filter=principal,
        host_filter=host,
        operation=operation,
        permission_type=permission,
    )


def deletion(*filters: DescribeAclsRequest) -> DeleteAclsRequest:
    """DeleteAcls with filters."""
    return DeleteAclsRequest(
        filters=[
            DeleteAclsFilter(
                resource_type_filter=each.resource_type_filter,
                resource_name_filter=each.resource_name_filter,
                pattern_type_filter=each.pattern_type_filter,
                principal_filter=each.principal_filter,
                host_filter=each.host_filter,
                operation=each.operation,
                permission_type=each.permission_type,
            )
            for each in filters
        ]
    )


def described(response: Any) -> list[str]:
    """The entries of a DescribeAcls response, sorted."""
    return sorted(_text(acl, resource) for resource in response.resources for acl in resource.acls)


def deleted(response: Any) -> list[list[str]]:
    """The entries that each filter of DeleteAcls deleted, sorted."""
    return [
        sorted(f"{acl.error_code} {_text(acl, acl)}" for acl in result.matching_acls)
        for result in response.filter_results
    ]


def add(kafka: Kafka, user: str, *acls: Acl) -> None:
    """Create entries of a user, and wait until the node applies them."""
    principal = f"User:{user}"
    creations = [
        creation(
            principal,
            acl.operation,
            acl.resource,
            acl.name,
            pattern=acl.pattern,
            permission=acl.permission,
            host=acl.host,
        )
        for acl in acls
    ]
    wanted = {(acl.operation, acl.permission, acl.resource, acl.name, acl.pattern) for acl in acls}
    response = kafka.request(CreateAclsRequest(creations=creations))
    assert not any(each.error_code for each in response.results), response
    eventually(lambda: wanted <= _applied(kafka, principal), f"the ACLs of {user}")


def remove_all(kafka: Kafka, user: str) -> None:
    """Delete all entries of a user, and wait until the node applies this."""
    principal = f"User:{user}"
    kafka.request(deletion(acl_filter(principal)))
    eventually(lambda: not _applied(kafka, principal), f"no ACLs of {user}")


def new_client(kafka: Kafka) -> tuple[str, Client]:
    """A new user without permissions, and its connection."""
    user = kafka.new_user()
    return user, log_in(kafka, user)


def each_step(kafka: Kafka, request: Any, *acls: Acl) -> Any:
    """The responses to a new user without entries, and after each further entry."""
    user, client = new_client(kafka)
    yield "none", client.request(request)
    for acl in acls:
        add(kafka, user, acl)
        yield str(acl), client.request(request)
    remove_all(kafka, user)


def _applied(kafka: Kafka, principal: str) -> set[tuple[int, int, int, str, int]]:
    return {
        (
            acl.operation,
            acl.permission_type,
            resource.resource_type,
            resource.resource_name,
            resource.pattern_type,
        )
        for resource in kafka.request(acl_filter(principal)).resources
        for acl in resource.acls
    }


def _text(acl: Any, resource: Any) -> str:
    """An entry in a response, and the structure that has its resource."""
    codes = (
        Permission(acl.permission_type),
        Operation(acl.operation),
        ResourceType(resource.resource_type),
        PatternType(resource.pattern_type),
    )
    named = (code.name for code in codes)
    return " ".join((*named, resource.resource_name, acl.principal, acl.host))
