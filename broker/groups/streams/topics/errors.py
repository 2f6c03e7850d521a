"""What is wrong with the topics of a topology."""

from __future__ import annotations

from typing import NoReturn

from broker.common.errors import ApiError
from broker.groups.streams.statuses import StatusCode
from protocol.errors import ErrorCode


class TopicConfigurationError(Exception):
    """The topics of the cluster do not fit the topology (``TopicConfigurationException``)."""

    def __init__(self, status: StatusCode, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


def refuse_topology(message: str) -> NoReturn:
    """Raise STREAMS_INVALID_TOPOLOGY: no topics would fit the topology."""
    raise ApiError(ErrorCode.STREAMS_INVALID_TOPOLOGY, message)


def refuse_malformed_topology() -> NoReturn:
    """Raise UNKNOWN_SERVER_ERROR, as Kafka, which does not validate these parts of a topology."""
    raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)
