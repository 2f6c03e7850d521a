"""Keys of share groups (KIP-932), which have no effect here."""

from __future__ import annotations

from broker.config.key import CLUSTER_WIDE, no_effect
from broker.config.kinds import AnyList, Text, int16, int32

_share = no_effect("share groups are not supported")

KEYS = (
    _share("group.share.assignment.interval.ms", int32(0), 1000, CLUSTER_WIDE),
    _share("group.share.assignors", AnyList(), ("simple",)),
    _share("group.share.delivery.count.limit", int32(2, 10), 5),
    _share("group.share.heartbeat.interval.ms", int32(1), 5000),
    _share("group.share.initialize.retry.interval.ms", int32(1), 30_000, internal=True),
    _share("group.share.max.assignment.interval.ms", int32(0), 15_000),
    _share("group.share.max.delivery.count.limit", int32(5, 25), 10),
    _share("group.share.max.heartbeat.interval.ms", int32(1), 15_000),
    _share("group.share.max.partition.max.record.locks", int32(2000, 10_000), 4000),
    _share("group.share.max.record.lock.duration.ms", int32(30_000, 3_600_000), 60_000),
    _share("group.share.max.session.timeout.ms", int32(1), 60_000),
    _share("group.share.max.share.sessions", int32(1), 2000),
    _share("group.share.max.size", int32(1, 1000), 200),
    _share("group.share.min.assignment.interval.ms", int32(0), 0),
    _share("group.share.min.delivery.count.limit", int32(2, 5), 2),
    _share("group.share.min.heartbeat.interval.ms", int32(1), 5000),
    _share("group.share.min.partition.max.record.locks", int32(100, 2000), 100),
    _share("group.share.min.record.lock.duration.ms", int32(1000, 30_000), 15_000),
    _share("group.share.min.session.timeout.ms", int32(1), 45_000),
    _share("group.share.partition.max.record.locks", int32(100, 10_000), 2000),
    _share(
        "group.share.persister.class.name",
        Text(),
        "org.apache.kafka.server.share.persister.DefaultStatePersister",
        internal=True,
    ),
    _share("group.share.record.lock.duration.ms", int32(1000, 3_600_000), 30_000),
    _share("group.share.session.timeout.ms", int32(1), 45_000),
    _share("share.coordinator.append.linger.ms", int32(-1), -1),
    _share("share.coordinator.cached.buffer.max.bytes", int32(524_288), 1_048_588, CLUSTER_WIDE),
    _share(
        "share.coordinator.cold.partition.snapshot.interval.ms", int32(1), 300_000, internal=True
    ),
    _share("share.coordinator.load.buffer.size", int32(1), 5_242_880),
    _share("share.coordinator.snapshot.update.records.per.snapshot", int32(0, 500), 500),
    _share("share.coordinator.state.topic.compression.codec", int32(), 0),
    _share("share.coordinator.state.topic.min.isr", int16(1), 2),
    _share("share.coordinator.state.topic.num.partitions", int32(1), 50),
    _share("share.coordinator.state.topic.prune.interval.ms", int32(1), 300_000, internal=True),
    _share("share.coordinator.state.topic.replication.factor", int16(1), 3),
    _share("share.coordinator.state.topic.segment.bytes", int32(1), 104_857_600),
    _share("share.coordinator.threads", int32(1), 1),
    _share("share.coordinator.write.timeout.ms", int32(1), 5000),
    _share("share.fetch.purgatory.purge.interval.requests", int32(), 1000),
)
