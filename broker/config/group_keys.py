"""The keys of a group, with the broker's keys for their defaults and bounds."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from broker.config.kinds import Boolean, Kind, OffsetReset, OneOf, Value, int32
from broker.config.table import KEYS
from protocol.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupKey:
    """A key of a group.

    ``broker_key`` is the broker's key for its default; a key without one has a ``default``.
    ``lowest`` and ``highest`` are the broker's keys for its bounds.
    """

    name: str
    kind: Kind
    documentation: str
    broker_key: str | None = None
    default: Value = None
    lowest: str | None = None
    highest: str | None = None


def _with_broker_key(
    name: str,
    *,
    kind: Kind | None = None,
    lowest: str | None = None,
    highest: str | None = None,
) -> GroupKey:
    broker_key = f"group.{name}"
    assert KEYS[broker_key].unused is None, "it has an attribute"
    return GroupKey(
        name=name,
        kind=kind or KEYS[broker_key].kind,
        documentation=KEYS[broker_key].documentation,
        broker_key=broker_key,
        lowest=lowest,
        highest=highest,
    )


def _bounded(name: str, kind: Kind | None = None) -> GroupKey:
    """A key ``share.x`` with the bounds ``group.share.min.x`` and ``group.share.max.x``."""
    protocol, _, rest = name.partition(".")
    low, high = (f"group.{protocol}.{end}.{rest}" for end in ("min", "max"))
    return _with_broker_key(name, kind=kind, lowest=low, highest=high)


_TABLE = (
    _bounded("consumer.assignment.interval.ms"),
    _bounded("consumer.heartbeat.interval.ms"),
    _bounded("consumer.session.timeout.ms"),
    _bounded("share.assignment.interval.ms"),
    GroupKey(
        name="share.auto.offset.reset",
        kind=OffsetReset(),
        default="latest",
        documentation="Where a share group begins to read a partition: at its latest or earliest "
        "record, or with by_duration at a time.",
    ),
    _bounded("share.delivery.count.limit", int32(2)),
    _bounded("share.heartbeat.interval.ms"),
    GroupKey(
        name="share.isolation.level",
        kind=OneOf(("read_committed", "read_uncommitted")),
        default="read_uncommitted",
        documentation="Whether a share group gets records of open transactions.",
    ),
    _bounded("share.partition.max.record.locks", int32(100)),
    _bounded("share.record.lock.duration.ms", int32(1000)),
    GroupKey(
        name="share.renew.acknowledge.enable",
        kind=Boolean(),
        default=True,
        documentation="Whether members of a share group may renew the locks of records.",
    ),
    _bounded("share.session.timeout.ms"),
    _bounded("streams.assignment.interval.ms"),
    _bounded("streams.heartbeat.interval.ms"),
    _with_broker_key("streams.initial.rebalance.delay.ms"),
    _with_broker_key("streams.num.standby.replicas", highest="group.streams.max.standby.replicas"),
    _bounded("streams.session.timeout.ms"),
)

GROUP_KEYS: Mapping[str, GroupKey] = MappingProxyType({key.name: key for key in _TABLE})
