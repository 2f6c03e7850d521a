"""The codes of the statuses of a heartbeat (Kafka's ``StreamsGroupHeartbeatResponse.Status``)."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class StatusCode(IntEnum):
    """Why a streams group, or one of its members, does not run as configured."""

    STALE_TOPOLOGY = 0
    MISSING_SOURCE_TOPICS = 1
    INCORRECTLY_PARTITIONED_TOPICS = 2
    MISSING_INTERNAL_TOPICS = 3
    SHUTDOWN_APPLICATION = 4
    ASSIGNMENT_DELAYED = 5


class Status(NamedTuple):
    """A status in a response."""

    code: StatusCode
    detail: str
