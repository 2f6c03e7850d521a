"""What a fault rule does with a request, a connection, a partition or a link."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from broker.faults.fields import Fields
from protocol.errors import ErrorCode

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

LINK_ACTIONS = ("delay", "loss", "cut")


def read_action(fields: Fields) -> Action:
    """The action of a rule for requests, connections or partitions; raises `InvalidValue`."""
    return _READERS[fields.needed_choice("type", _READERS)](fields)


def read_link_action(fields: Fields) -> Action:
    """The action of a rule for a link; raises `InvalidValue`."""
    kind = fields.needed_choice("type", LINK_ACTIONS)
    if kind == "delay":
        fields.allow("type", "ms")
        return LinkDelay(fields.needed_whole("ms", 1, DELAY_MS_MAX))
    if kind == "loss":
        fields.allow("type", "percent", "seed")
        return LinkLoss(
            fields.needed_number("percent", 0, 100), fields.whole("seed", 0, SEED_MAX) or 0
        )
    fields.allow("type")
    return LinkCut()


def _error(fields: Fields) -> Action:
    fields.allow("type", "error", "when")
    name = fields.text("error")
    code = None if name is None else ErrorCode.__members__.get(name)
    if code is None or code is ErrorCode.NONE:
        given = "give" if name is None else f"{name[:60]!r} is unknown; give"
        raise fields.refusal("error", f"{given} the name of an error, as REQUEST_TIMED_OUT")
    return Error(code, _is_after(fields))


def _close(fields: Fields) -> Action:
    fields.allow("type", "when")
    return Close(_is_after(fields))


def _hang(fields: Fields) -> Action:
    fields.allow("type", "when")
    return Hang(_is_after(fields))


def _delay(fields: Fields) -> Action:
    fields.allow("type", "ms", "of")
    ms = fields.needed_whole("ms", 1, DELAY_MS_MAX)
    return Delay(ms, fields.choice("of", ("request", "response")) == "response")


def _slow(fields: Fields) -> Action:
    fields.allow("type", "bytes_per_second")
    return Slow(fields.needed_whole("bytes_per_second", 1, BYTES_PER_SECOND_MAX))


def _throttle(fields: Fields) -> Action:
    fields.allow("type", "ms")
    return Throttle(fields.needed_whole("ms", 1, THROTTLE_MS_MAX))


def _half_open(fields: Fields) -> Action:
    fields.allow("type")
    return HalfOpen()


def _corrupt(fields: Fields) -> Action:
    fields.allow("type")
    return Corrupt()


def _stale_metadata(fields: Fields) -> Action:
    fields.allow("type")
    return StaleMetadata()


def _hold_high_watermark(fields: Fields) -> Action:
    fields.allow("type", "at")
    return HoldHighWatermark(fields.needed_whole("at", 0, OFFSET_MAX))


def _hold_isr(fields: Fields) -> Action:
    fields.allow("type")
    return HoldIsr()


def _refuse_connections(fields: Fields) -> Action:
    fields.allow("type")
    return RefuseConnections()


def _is_after(fields: Fields) -> bool:
    return fields.choice("when", WHEN) == "after"


_READERS = {
    "error": _error,
    "close": _close,
    "delay": _delay,
    "hang": _hang,
    "half_open": _half_open,
    "slow": _slow,
    "throttle": _throttle,
    "corrupt": _corrupt,
    "stale_metadata": _stale_metadata,
    "refuse_connections": _refuse_connections,
    "hold_high_watermark": _hold_high_watermark,
    "hold_isr": _hold_isr,
}
