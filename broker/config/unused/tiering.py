"""Keys of tiered storage, which have no effect here."""

from __future__ import annotations

from broker.config.key import CLUSTER_WIDE, no_effect
from broker.config.kinds import LONG_MAX, Boolean, Decimal, Text, int32, int64

_tiering = no_effect("tiered storage is not supported", advice="tiered storage is not supported")
_unused = no_effect("tiered storage is not supported")

_METADATA_MANAGER = (
    "org.apache.kafka.server.log.remote.metadata.storage.TopicBasedRemoteLogMetadataManager"
)

KEYS = (
    _tiering("remote.log.storage.manager.class.name", Text(empty=False), None),
    _tiering("remote.log.storage.manager.class.path", Text(), None),
    _tiering("remote.log.storage.system.enable", Boolean(), default=False),
    _unused(
        "follower.fetch.last.tiered.offset.enable",
        Boolean(),
        default=False,
        update_mode=CLUSTER_WIDE,
    ),
    _unused("log.local.retention.bytes", int64(-2), -2, CLUSTER_WIDE),
    _unused("log.local.retention.ms", int64(-2), -2, CLUSTER_WIDE),
    _unused("remote.fetch.max.wait.ms", int32(1), 500, CLUSTER_WIDE),
    _unused("remote.list.offsets.request.timeout.ms", int64(1), 30_000, CLUSTER_WIDE),
    _unused("remote.log.index.file.cache.total.size.bytes", int64(1), 1_073_741_824, CLUSTER_WIDE),
    _unused("remote.log.index.file.cache.ttl.ms", int64(-1), 900_000, internal=True),
    _unused("remote.log.manager.copier.thread.pool.size", int32(1), 10, CLUSTER_WIDE),
    _unused("remote.log.manager.copy.max.bytes.per.second", int64(1), LONG_MAX, CLUSTER_WIDE),
    _unused("remote.log.manager.copy.quota.window.num", int32(1), 11),
    _unused("remote.log.manager.copy.quota.window.size.seconds", int32(1), 1),
    _unused("remote.log.manager.expiration.thread.pool.size", int32(1), 10, CLUSTER_WIDE),
    _unused("remote.log.manager.fetch.max.bytes.per.second", int64(1), LONG_MAX, CLUSTER_WIDE),
    _unused("remote.log.manager.fetch.quota.window.num", int32(1), 11),
    _unused("remote.log.manager.fetch.quota.window.size.seconds", int32(1), 1),
    _unused("remote.log.manager.follower.thread.pool.size", int32(1), 2, CLUSTER_WIDE),
    _unused("remote.log.manager.task.interval.ms", int64(1), 30_000),
    _unused("remote.log.manager.task.retry.backoff.max.ms", int64(1), 30_000, internal=True),
    _unused("remote.log.manager.task.retry.backoff.ms", int64(1), 500, internal=True),
    _unused("remote.log.manager.task.retry.jitter", Decimal(0, 0.5), 0.2, internal=True),
    _unused("remote.log.manager.thread.pool.size", int32(1), 2),
    _unused("remote.log.metadata.custom.metadata.max.bytes", int32(0), 128),
    _unused("remote.log.metadata.manager.class.name", Text(empty=False), _METADATA_MANAGER),
    _unused("remote.log.metadata.manager.class.path", Text(), None),
    _unused("remote.log.metadata.manager.impl.prefix", Text(empty=False), "rlmm.config."),
    _unused("remote.log.metadata.manager.listener.name", Text(empty=False), None),
    _unused("remote.log.reader.max.pending.tasks", int32(1), 100),
    _unused("remote.log.reader.threads", int32(1), 10, CLUSTER_WIDE),
    _unused("remote.log.storage.manager.impl.prefix", Text(empty=False), "rsm.config."),
)
