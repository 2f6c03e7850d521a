"""Keys of streams groups (KIP-1071), which have no effect here."""

from __future__ import annotations

from broker.config.key import CLUSTER_WIDE, no_effect
from broker.config.kinds import INT_MAX, int32

_streams = no_effect("streams groups are not supported")

KEYS = (
    _streams("group.streams.assignment.interval.ms", int32(0), 1000, CLUSTER_WIDE),
    _streams("group.streams.heartbeat.interval.ms", int32(1), 5000),
    _streams("group.streams.initial.rebalance.delay.ms", int32(0), 3000),
    _streams("group.streams.max.assignment.interval.ms", int32(0), 15_000),
    _streams("group.streams.max.heartbeat.interval.ms", int32(1), 15_000),
    _streams("group.streams.max.session.timeout.ms", int32(1), 60_000),
    _streams("group.streams.max.size", int32(1), INT_MAX),
    _streams("group.streams.max.standby.replicas", int32(0), 2),
    _streams("group.streams.min.assignment.interval.ms", int32(0), 0),
    _streams("group.streams.min.heartbeat.interval.ms", int32(1), 5000),
    _streams("group.streams.min.session.timeout.ms", int32(1), 45_000),
    _streams("group.streams.num.standby.replicas", int32(0), 0),
    _streams("group.streams.session.timeout.ms", int32(1), 45_000),
)
