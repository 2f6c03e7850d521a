"""The keys of a group, with the broker's keys behind them and for their bounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from broker.config.kinds import Boolean, Kind, OffsetReset, OneOf, Value, int32
from broker.config.table import KEYS


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupKey:
    """A key of a group: the broker's key behind it, or its default, and the keys of its bounds."""

    name: str
    kind: Kind
    documentation: str
    behind: str | None = None
    default: Value = None
    lowest: str | None = None
    highest: str | None = None


def _over_the_brokers(
    name: str,
    *,
    kind: Kind | None = None,
    lowest: str | None = None,
    highest: str | None = None,
) -> GroupKey:
    behind = f"group.{name}"
    return GroupKey(
        name=name,
        kind=kind or KEYS[behind].kind,
        documentation=KEYS[behind].documentation,
        behind=behind,
        lowest=lowest,
        highest=highest,
    )


def _bounded(name: str, kind: Kind | None = None) -> GroupKey:
    """``share.x`` is from ``group.share.min.x`` to ``group.share.max.x``."""
    protocol, _, rest = name.partition(".")
    low, high = (f"group.{protocol}.{end}.{rest}" for end in ("min", "max"))
    return _over_the_brokers(name, kind=kind, lowest=low, highest=high)


_NO_SHARE_GROUPS = "No effect: there are no share groups."

_TABLE = (
    _bounded("consumer.assignment.interval.ms"),
    _bounded("consumer.heartbeat.interval.ms"),
    _bounded("consumer.session.timeout.ms"),
    _bounded("share.assignment.interval.ms"),
    GroupKey(
        name="share.auto.offset.reset",
        kind=OffsetReset(),
        default="latest",
        documentation=_NO_SHARE_GROUPS,
    ),
    _bounded("share.delivery.count.limit", int32(2)),
    _bounded("share.heartbeat.interval.ms"),
    GroupKey(
        name="share.isolation.level",
        kind=OneOf(("read_committed", "read_uncommitted")),
        default="read_uncommitted",
        documentation=_NO_SHARE_GROUPS,
    ),
    _bounded("share.partition.max.record.locks", int32(100)),
    _bounded("share.record.lock.duration.ms", int32(1000)),
    GroupKey(
        name="share.renew.acknowledge.enable",
        kind=Boolean(),
        default=True,
        documentation=_NO_SHARE_GROUPS,
    ),
    _bounded("share.session.timeout.ms"),
    _bounded("streams.assignment.interval.ms"),
    _bounded("streams.heartbeat.interval.ms"),
    _over_the_brokers("streams.initial.rebalance.delay.ms"),
    _over_the_brokers("streams.num.standby.replicas", highest="group.streams.max.standby.replicas"),
    _bounded("streams.session.timeout.ms"),
)

GROUP_KEYS: Mapping[str, GroupKey] = MappingProxyType({key.name: key for key in _TABLE})
