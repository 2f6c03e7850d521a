"""The rules of ``StandardAuthorizer`` without an index: every ACL is examined for each decision."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from broker.security.acl.binding import AclBinding
from broker.security.resource import Operation, PatternType, Permission, ResourceType
from broker.security.session import Session

IMPLIED = {
    Operation.READ: Operation.DESCRIBE,
    Operation.WRITE: Operation.DESCRIBE,
    Operation.DELETE: Operation.DESCRIBE,
    Operation.ALTER: Operation.DESCRIBE,
    Operation.ALTER_CONFIGS: Operation.DESCRIBE_CONFIGS,
}


def names(acl: AclBinding, resource_type: ResourceType, name: str) -> bool:
    """Whether the ACL's pattern includes the resource."""
    if acl.resource_type != resource_type:
        return False
    if acl.pattern_type == PatternType.PREFIXED:
        return name.startswith(acl.name)
    return acl.name in (name, "*")


def concerns(acl: AclBinding, session: Session, operation: Operation) -> bool:
    """Whether the ACL decides about the client's operation."""
    operations = {Operation.ALL, acl.operation}
    if acl.permission == Permission.ALLOW and acl.operation in IMPLIED:
        operations.add(IMPLIED[acl.operation])
    return (
        acl.principal in (str(session.principal), "User:*")
        and acl.host in (session.host, "*")
        and (acl.operation == Operation.ALL or operation in operations)
    )


def may(
    acls: Sequence[AclBinding],
    super_users: Collection[str],
    default: bool,
    session: Session,
    operation: Operation,
    resource_type: ResourceType,
    name: str,
) -> bool:
    """The decision."""
    if str(session.principal) in super_users:
        return True
    named = [acl for acl in acls if names(acl, resource_type, name)]
    if not named:
        return default
    permissions = {acl.permission for acl in named if concerns(acl, session, operation)}
    return permissions == {Permission.ALLOW}
