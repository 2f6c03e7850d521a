"""Why a wait ended: what a check of a purgatory tells the operations that it completes.

Known, not guessed: the event itself hands its cause to those it wakes, and the cause names the
request whose effect it is.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, NamedTuple

from broker.common.topic_partition import TopicPartition
from protocol.api_names import api_name
from protocol.headers import RequestHeader
from purgatories.delayed_operation import TIMEOUT


class CauseKind(StrEnum):
    """What ended a wait; ARRIVAL: there was none."""

    ARRIVAL = "arrival"
    APPEND = "append"
    HIGH_WATERMARK = "high_watermark"
    LEADERSHIP = "leadership"
    DELETED = "deleted"
    ERROR = "error"
    TIMEOUT = TIMEOUT
    DISCONNECT = "disconnect"
    MEMBERS = "members"
    FLUSH = "flush"
    SHUTDOWN = "shutdown"


class Cause(NamedTuple):
    """An event, and where known the partition, its new offset, the replica and the request."""

    kind: CauseKind
    key: TopicPartition | None = None
    offset: int | None = None
    replica: int | None = None
    request: RequestHeader | None = None

    def told(self) -> dict[str, Any]:
        """As wait records have it, without what is not known."""
        facts: dict[str, Any] = {"cause": str(self.kind)}
        if self.key is not None:
            facts["topic"], facts["partition"] = self.key
        if self.offset is not None:
            facts["offset"] = self.offset
        if self.replica is not None:
            facts["replica"] = self.replica
        if self.request is not None:
            facts["request"] = {
                "api": api_name(self.request.api_key),
                "client_id": self.request.client_id,
                "correlation_id": self.request.correlation_id,
            }
        return facts


ARRIVED = Cause(CauseKind.ARRIVAL)
REFUSED = Cause(CauseKind.ERROR)
TIMED_OUT = Cause(CauseKind.TIMEOUT)
