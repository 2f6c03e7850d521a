"""Why a wait ended: what a check of a purgatory tells the operations that it completes.

Known, not guessed: the event itself hands its cause to those it wakes, and the cause names the
request whose effect it is.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from broker.topic_partition import TopicPartition
from purgatories.delayed_operation import TIMEOUT

if TYPE_CHECKING:
    from broker.request import Request


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
    SHUTDOWN = "shutdown"


class Cause(NamedTuple):
    """An event, and where known the partition, its new offset, the replica and the request."""

    kind: CauseKind
    key: TopicPartition | None = None
    offset: int | None = None
    replica: int | None = None
    request: tuple[str, str | None, int] | None = None  # api, client id, correlation id

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
            facts["request"] = dict(
                zip(("api", "client_id", "correlation_id"), self.request, strict=True)
            )
        return facts


ARRIVED = Cause(CauseKind.ARRIVAL)
REFUSED = Cause(CauseKind.ERROR)
TIMED_OUT = Cause(CauseKind.TIMEOUT)


def name_of_api(body: object) -> str:
    """The API's name, as Kafka has it."""
    cls = type(body)
    name = _names.get(cls)
    if name is None:
        name = _names[cls] = cls.__name__.removesuffix("Request")
    return name


_names: dict[type, str] = {}


def named(request: Request[Any]) -> tuple[str, str | None, int]:
    """A request as others' records name it."""
    return name_of_api(request.body), request.client_id, request.header.correlation_id
