"""Requests about ACLs, and a node with an authorizer that a test may use as a super user."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from broker.config.keys.authorization import STANDARD_AUTHORIZER
from protocol.messages.create_acls import AclCreation, CreateAclsRequest
from protocol.messages.delete_acls import DeleteAclsFilter, DeleteAclsRequest
from protocol.messages.describe_acls import DescribeAclsRequest
from tests.client import RunningNode, running_node

TOPIC, LITERAL, READ, ALLOW = 2, 3, 3, 3


@asynccontextmanager
async def secured_node(
    tmp_path: Path, super_users: str = "User:ANONYMOUS", *, kept: bool = False
) -> AsyncIterator[RunningNode]:
    """A node with an authorizer; the client of the test is ANONYMOUS."""
    async with running_node(
        tmp_path, kept=kept, authorizer_class_name=STANDARD_AUTHORIZER, super_users=super_users
    ) as node:
        yield node


def creation(
    name: str = "t",
    *,
    resource_type: int = TOPIC,
    pattern_type: int = LITERAL,
    operation: int = READ,
    permission: int = ALLOW,
) -> AclCreation:
    """An entry of alice."""
    return AclCreation(
        resource_type=resource_type,
        resource_name=name,
        resource_pattern_type=pattern_type,
        principal="User:alice",
        host="*",
        operation=operation,
        permission_type=permission,
    )


def creations(*entries: AclCreation) -> CreateAclsRequest:
    """A request to add entries."""
    return CreateAclsRequest(creations=list(entries))


def description(
    name: str | None = None, *, resource_type: int = 1, operation: int = 1
) -> DescribeAclsRequest:
    """A request for all entries, or for those of a name, a type or an operation."""
    return DescribeAclsRequest(
        resource_type_filter=resource_type,
        resource_name_filter=name,
        pattern_type_filter=1,
        principal_filter=None,
        host_filter=None,
        operation=operation,
        permission_type=1,
    )


def deletion(name: str | None = None, *, resource_type: int = 1) -> DeleteAclsFilter:
    """A filter for all entries, or for those of a name or a type."""
    return DeleteAclsFilter(
        resource_type_filter=resource_type,
        resource_name_filter=name,
        pattern_type_filter=1,
        principal_filter=None,
        host_filter=None,
        operation=1,
        permission_type=1,
    )


def deletions(*filters: DeleteAclsFilter) -> DeleteAclsRequest:
    """A request to remove entries."""
    return DeleteAclsRequest(filters=list(filters))
