"""A check: an operation on a type of resource, and the error that a client without it gets."""

from __future__ import annotations

from typing import Final, NamedTuple

from broker.common.errors import ApiError
from broker.security.resource import Operation, ResourceType
from protocol.errors import ErrorCode

_TOPIC, _GROUP, _CLUSTER = ResourceType.TOPIC, ResourceType.GROUP, ResourceType.CLUSTER
_TRANSACTIONAL_ID = ResourceType.TRANSACTIONAL_ID

# Kafka's messages; most responses have none.
_REFUSALS: Final = {
    _TOPIC: (ErrorCode.TOPIC_AUTHORIZATION_FAILED, "Topic authorization failed."),
    _GROUP: (ErrorCode.GROUP_AUTHORIZATION_FAILED, "Group authorization failed."),
    _CLUSTER: (ErrorCode.CLUSTER_AUTHORIZATION_FAILED, "Cluster authorization failed."),
    _TRANSACTIONAL_ID: (
        ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
        "Transactional Id authorization failed.",
    ),
    ResourceType.USER: (
        ErrorCode.DELEGATION_TOKEN_AUTHORIZATION_FAILED,
        "Delegation Token authorization failed.",
    ),
    ResourceType.DELEGATION_TOKEN: (
        ErrorCode.DELEGATION_TOKEN_AUTHORIZATION_FAILED,
        "Delegation Token authorization failed.",
    ),
}


class Check(NamedTuple):
    """An operation on a type of resource, as in ``AuthHelper.authorize``."""

    operation: Operation
    resource_type: ResourceType

    @property
    def error_code(self) -> ErrorCode:
        """The error of a client that is not authorized."""
        return _REFUSALS[self.resource_type][0]

    @property
    def refusal(self) -> ApiError:
        """The error with Kafka's message of its code."""
        return ApiError(*_REFUSALS[self.resource_type])


READ_TOPIC: Final = Check(Operation.READ, _TOPIC)
WRITE_TOPIC: Final = Check(Operation.WRITE, _TOPIC)
CREATE_TOPIC: Final = Check(Operation.CREATE, _TOPIC)
DELETE_TOPIC: Final = Check(Operation.DELETE, _TOPIC)
ALTER_TOPIC: Final = Check(Operation.ALTER, _TOPIC)
DESCRIBE_TOPIC: Final = Check(Operation.DESCRIBE, _TOPIC)
DESCRIBE_TOPIC_CONFIGS: Final = Check(Operation.DESCRIBE_CONFIGS, _TOPIC)
ALTER_TOPIC_CONFIGS: Final = Check(Operation.ALTER_CONFIGS, _TOPIC)

READ_GROUP: Final = Check(Operation.READ, _GROUP)
DELETE_GROUP: Final = Check(Operation.DELETE, _GROUP)
DESCRIBE_GROUP: Final = Check(Operation.DESCRIBE, _GROUP)
DESCRIBE_GROUP_CONFIGS: Final = Check(Operation.DESCRIBE_CONFIGS, _GROUP)
ALTER_GROUP_CONFIGS: Final = Check(Operation.ALTER_CONFIGS, _GROUP)

WRITE_TRANSACTIONAL_ID: Final = Check(Operation.WRITE, _TRANSACTIONAL_ID)
DESCRIBE_TRANSACTIONAL_ID: Final = Check(Operation.DESCRIBE, _TRANSACTIONAL_ID)

CREATE_IN_CLUSTER: Final = Check(Operation.CREATE, _CLUSTER)
DELETE_IN_CLUSTER: Final = Check(Operation.DELETE, _CLUSTER)
ALTER_CLUSTER: Final = Check(Operation.ALTER, _CLUSTER)
DESCRIBE_CLUSTER: Final = Check(Operation.DESCRIBE, _CLUSTER)
CLUSTER_ACTION: Final = Check(Operation.CLUSTER_ACTION, _CLUSTER)
DESCRIBE_CLUSTER_CONFIGS: Final = Check(Operation.DESCRIBE_CONFIGS, _CLUSTER)
ALTER_CLUSTER_CONFIGS: Final = Check(Operation.ALTER_CONFIGS, _CLUSTER)
IDEMPOTENT_WRITE: Final = Check(Operation.IDEMPOTENT_WRITE, _CLUSTER)

CREATE_TOKENS: Final = Check(Operation.CREATE_TOKENS, ResourceType.USER)
DESCRIBE_TOKENS: Final = Check(Operation.DESCRIBE_TOKENS, ResourceType.USER)
DESCRIBE_TOKEN: Final = Check(Operation.DESCRIBE, ResourceType.DELEGATION_TOKEN)
