"""The operations that a client is authorized for, as a bit field (KIP-430).

The number of a bit is the operation's code (``org.apache.kafka.common.acl.AclOperation``).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from broker.api.request import Request
from broker.security.resource import CLUSTER_NAME, Operation, ResourceType

# The operations that exist for each type (Kafka's ``AclEntry.supportedOperations``).
_SUPPORTED: Final = {
    ResourceType.TOPIC: (
        Operation.READ,
        Operation.WRITE,
        Operation.CREATE,
        Operation.DELETE,
        Operation.ALTER,
        Operation.DESCRIBE,
        Operation.DESCRIBE_CONFIGS,
        Operation.ALTER_CONFIGS,
    ),
    ResourceType.GROUP: (
        Operation.READ,
        Operation.DELETE,
        Operation.DESCRIBE,
        Operation.DESCRIBE_CONFIGS,
        Operation.ALTER_CONFIGS,
    ),
    ResourceType.CLUSTER: (
        Operation.CREATE,
        Operation.ALTER,
        Operation.DESCRIBE,
        Operation.CLUSTER_ACTION,
        Operation.DESCRIBE_CONFIGS,
        Operation.ALTER_CONFIGS,
        Operation.IDEMPOTENT_WRITE,
    ),
}


def _bits(operations: Collection[Operation]) -> int:
    return sum(1 << operation for operation in operations)


ALL_OPERATIONS: Final = {each: _bits(operations) for each, operations in _SUPPORTED.items()}
NOT_REQUESTED: Final = -(2**31)


def authorized_operations(
    request: Request[Any], resource_type: ResourceType, name: str = CLUSTER_NAME
) -> int:
    """The operations that the client may do on a resource; all without an authorizer."""
    authorizer = request.services.authorizer
    if authorizer is None:
        return ALL_OPERATIONS[resource_type]
    return _bits(
        [
            operation
            for operation in _SUPPORTED[resource_type]
            if authorizer.authorize(
                request.session,
                operation,
                resource_type,
                name,
                api_key=request.header.api_key,
                is_refusal_logged=False,
            )
        ]
    )
