"""Resources, operations on them, and their codes in requests (``org.apache.kafka.common``)."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

# The name of the only resource of type CLUSTER.
CLUSTER_NAME: Final = "kafka-cluster"


class ResourceType(IntEnum):
    """A type of resources (``org.apache.kafka.common.resource.ResourceType``)."""

    UNKNOWN = 0
    ANY = 1
    TOPIC = 2
    GROUP = 3
    CLUSTER = 4
    TRANSACTIONAL_ID = 5
    DELEGATION_TOKEN = 6
    USER = 7


class PatternType(IntEnum):
    """``org.apache.kafka.common.resource.PatternType``; ANY and MATCH only occur in filters."""

    UNKNOWN = 0
    ANY = 1
    MATCH = 2
    LITERAL = 3
    PREFIXED = 4


class Operation(IntEnum):
    """``org.apache.kafka.common.acl.AclOperation``; ANY only occurs in filters."""

    UNKNOWN = 0
    ANY = 1
    ALL = 2
    READ = 3
    WRITE = 4
    CREATE = 5
    DELETE = 6
    ALTER = 7
    DESCRIBE = 8
    CLUSTER_ACTION = 9
    DESCRIBE_CONFIGS = 10
    ALTER_CONFIGS = 11
    IDEMPOTENT_WRITE = 12
    CREATE_TOKENS = 13
    DESCRIBE_TOKENS = 14
    TWO_PHASE_COMMIT = 15


class Permission(IntEnum):
    """``org.apache.kafka.common.acl.AclPermissionType``; ANY only occurs in filters."""

    UNKNOWN = 0
    ANY = 1
    DENY = 2
    ALLOW = 3
