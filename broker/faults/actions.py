"""What a fault rule does with a request, a connection, a partition or a link."""

from __future__ import annotations

from typing import ClassVar

from protocol.errors import ErrorCode
from protocol.lazy_dataclass import dataclass

DELAY_MS_MAX = 86_400_000
THROTTLE_MS_MAX = 3_600_000
BYTES_PER_SECOND_MAX = 1_000_000_000
SEED_MAX = 2**63 - 1
OFFSET_MAX = 2**63 - 1
WHEN = ("before", "after")


@dataclass(frozen=True, slots=True)
class Action:
    """``type`` is the name in JSON, ``apis`` are the only APIs it is possible for (None: all).

    ``is_of_records``: only a response with records matches.
    """

    type: ClassVar[str]
    apis: ClassVar[tuple[str, ...] | None] = None
    is_of_records: ClassVar[bool] = False

    def facts(self) -> dict[str, object]:
        """The action as JSON."""
        return {"type": self.type, **self._details()}

    def _details(self) -> dict[str, object]:
        return {}


@dataclass(frozen=True, slots=True)
class Error(Action):
    """Responds with ``code``: before the request has an effect, or in place of its response."""

    type = "error"
    code: ErrorCode
    after: bool

    def _details(self) -> dict[str, object]:
        return {"error": self.code.name, "when": WHEN[self.after]}


@dataclass(frozen=True, slots=True)
class Close(Action):
    """Closes the connection: before the request has an effect, or in place of its response."""

    type = "close"
    after: bool

    def _details(self) -> dict[str, object]:
        return {"when": WHEN[self.after]}


@dataclass(frozen=True, slots=True)
class Hang(Action):
    """Sends no response: the request has no effect, or its effect and no response."""

    type = "hang"
    after: bool

    def _details(self) -> dict[str, object]:
        return {"when": WHEN[self.after]}


@dataclass(frozen=True, slots=True)
class Delay(Action):
    """Handles the request, or sends its response, ``ms`` milliseconds later."""

    type = "delay"
    ms: int
    of_response: bool

    def _details(self) -> dict[str, object]:
        return {"ms": self.ms, "of": "response" if self.of_response else "request"}


@dataclass(frozen=True, slots=True)
class HalfOpen(Action):
    """The connection remains open, and neither receives nor sends any more."""

    type = "half_open"


@dataclass(frozen=True, slots=True)
class Slow(Action):
    """Sends the response with that many bytes per second."""

    type = "slow"
    bytes_per_second: int

    def _details(self) -> dict[str, object]:
        return {"bytes_per_second": self.bytes_per_second}


@dataclass(frozen=True, slots=True)
class Throttle(Action):
    """Throttles the client for ``ms`` milliseconds, as a quota does."""

    type = "throttle"
    ms: int

    def _details(self) -> dict[str, object]:
        return {"ms": self.ms}


@dataclass(frozen=True, slots=True)
class Corrupt(Action):
    """Gives the first batch of a Fetch response a wrong CRC."""

    type = "corrupt"
    is_of_records = True
    apis = ("Fetch",)


@dataclass(frozen=True, slots=True)
class StaleMetadata(Action):
    """Responds with the metadata of the time at which the rule was set."""

    type = "stale_metadata"
    apis = ("Metadata", "DescribeTopicPartitions", "DescribeCluster")


@dataclass(frozen=True, slots=True)
class RefuseConnections(Action):
    """Resets new connections."""

    type = "refuse_connections"


@dataclass(frozen=True, slots=True)
class LinkDelay(Action):
    """Delays what one node sends to another by ``ms`` milliseconds."""

    type = "delay"
    ms: int

    def _details(self) -> dict[str, object]:
        return {"ms": self.ms}


@dataclass(frozen=True, slots=True)
class LinkLoss(Action):
    """Loses ``percent`` of what one node sends to another, chosen by ``seed``."""

    type = "loss"
    percent: float
    seed: int

    def _details(self) -> dict[str, object]:
        return {"percent": self.percent, "seed": self.seed}


@dataclass(frozen=True, slots=True)
class LinkCut(Action):
    """Delivers nothing of what one node sends to another."""

    type = "cut"


@dataclass(frozen=True, slots=True)
class HoldHighWatermark(Action):
    """Keeps the leader from advancing the high watermark of a partition beyond offset ``at``."""

    type = "hold_high_watermark"
    at: int

    def _details(self) -> dict[str, object]:
        return {"at": self.at}


@dataclass(frozen=True, slots=True)
class HoldIsr(Action):
    """Keeps the leader from changing the in-sync replicas of a partition."""

    type = "hold_isr"


# The actions on partitions, not on requests.
Hold = HoldHighWatermark | HoldIsr
