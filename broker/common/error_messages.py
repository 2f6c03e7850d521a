"""Kafka's general messages of error codes, for errors that have no message of their own.

Clients show them to users (``org.apache.kafka.common.protocol.Errors``).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from protocol.errors import ErrorCode

_MESSAGES: Final[Mapping[ErrorCode, str]] = MappingProxyType(
    {
        ErrorCode.CLUSTER_AUTHORIZATION_FAILED: "Cluster authorization failed.",
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS: (
            "The coordinator is loading and hence can't process requests."
        ),
        ErrorCode.COORDINATOR_NOT_AVAILABLE: "The coordinator is not available.",
        ErrorCode.FENCED_LEADER_EPOCH: (
            "The leader epoch in the request is older than the epoch on the broker."
        ),
        ErrorCode.FENCED_STATE_EPOCH: (
            "The share coordinator rejected the request because the share-group state epoch did "
            "not match."
        ),
        ErrorCode.LEADER_NOT_AVAILABLE: (
            "There is no leader for this topic-partition as we are in the middle of a leadership "
            "election."
        ),
        ErrorCode.NETWORK_EXCEPTION: "The server disconnected before a response was received.",
        ErrorCode.NOT_COORDINATOR: "This is not the correct coordinator.",
        ErrorCode.NOT_LEADER_OR_FOLLOWER: (
            "For requests intended only for the leader, this error indicates that the broker is "
            "not the current leader. For requests intended for any replica, this error indicates "
            "that the broker is not a replica of the topic partition."
        ),
        ErrorCode.UNKNOWN_TOPIC_ID: "This server does not host this topic ID.",
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: "This server does not host this topic-partition.",
    }
)


def message_of(code: ErrorCode) -> str | None:
    """The general message of an error code; None if no response needs it."""
    return _MESSAGES.get(code)
