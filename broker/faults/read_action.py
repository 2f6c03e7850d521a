"""Reads the action of a fault rule from JSON."""

from __future__ import annotations

from collections.abc import Collection

from broker.faults.actions import (
    BYTES_PER_SECOND_MAX,
    DELAY_MS_MAX,
    OFFSET_MAX,
    SEED_MAX,
    THROTTLE_MS_MAX,
    WHEN,
    Action,
    Close,
    Corrupt,
    Delay,
    Error,
    HalfOpen,
    Hang,
    HoldHighWatermark,
    HoldIsr,
    LinkCut,
    LinkDelay,
    LinkLoss,
    RefuseConnections,
    Slow,
    StaleMetadata,
    Throttle,
)
from broker.faults.fields import Fields
from broker.faults.node_change import NodeChange, read_node_change
from protocol.errors import ErrorCode

LINK_ACTIONS = ("delay", "loss", "cut")


def read_action(fields: Fields, nodes: Collection[int]) -> Action:
    """The action of a rule for requests or connections; raises `InvalidValue`.

    *nodes* are the nodes that it can change.
    """
    if fields.value("type") in _ONLY_OF_LINKS:
        kind = fields.value("type")
        raise fields.refusal("type", f"{kind} is an action of links; give link as well")
    kind = fields.needed_choice("type", ACTIONS)
    return read_node_change(fields, nodes) if kind == NodeChange.type else _READERS[kind](fields)


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
        raise fields.refusal("error", f"{given} the name of an error, such as REQUEST_TIMED_OUT")
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
ACTIONS = (*_READERS, NodeChange.type)
_ONLY_OF_LINKS = tuple(kind for kind in LINK_ACTIONS if kind not in ACTIONS)
