"""An access control list entry (``org.apache.kafka.common.acl.AclBinding``)."""

from __future__ import annotations

from typing import Final, NamedTuple

from broker.security.resource import Operation, PatternType, Permission, ResourceType

# As the name of a literal pattern: all resources of the type.
WILDCARD: Final = "*"
WILDCARD_PRINCIPAL: Final = "User:*"
WILDCARD_HOST: Final = "*"


class AclBinding(NamedTuple):
    """Allows or denies an operation on resources to a principal that connects from a host.

    ``name`` is the name of a LITERAL pattern, or the prefix of a PREFIXED one. ``principal`` has
    the form ``Type:name``. ``host`` is an address as Java formats it, or ``*``; it is compared as
    text.
    """

    resource_type: ResourceType
    pattern_type: PatternType
    name: str
    principal: str
    host: str
    operation: Operation
    permission: Permission
